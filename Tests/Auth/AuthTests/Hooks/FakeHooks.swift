import Synchronization

/// Hooks whose answers tests choose. They record the events that they receive.
final class FakeHooks: Sendable {
    struct Told: Sendable {
        let kind: HookKind
        let event: JSON
    }

    private struct State {
        var answers: [(kind: HookKind, answer: Result<[UInt8], HookFailure>)] = []
        var told: [Told] = []
        var failures: [(HookKind, HookFailure, continues: Bool)] = []
        var beforeAnswer: @Sendable () -> Void = {}
    }

    private let state = Mutex(State())

    func answer(_ kind: HookKind, _ text: String) {
        answer(kind, .success(Array(text.utf8)))
    }

    func answer(_ kind: HookKind, _ answer: Result<[UInt8], HookFailure>) {
        state.withLock { state in
            state.answers.removeAll { $0.kind == kind }
            state.answers.append((kind, answer))
        }
    }

    /// Called while the hook works on its answer.
    func onCall(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeAnswer = action }
    }

    var told: [Told] { state.withLock { $0.told } }
    var failures: [(HookKind, HookFailure, continues: Bool)] { state.withLock { $0.failures } }

    func told(_ kind: HookKind) -> [JSON] { told.filter { $0.kind == kind }.map(\.event) }

    func forget() { state.withLock { $0.told = [] } }

    func services(
        _ kinds: [HookKind] = [.beforeSignUp, .beforeSignIn], failsOpen: Bool = false
    ) -> HookServices {
        HookServices(
            kinds.map { kind in
                HookServices.Hook(kind, failsOpen: failsOpen) { event throws(HookFailure) in
                    try self.call(event)
                }
            },
            report: { kind, failure, continues in
                self.state.withLock { $0.failures.append((kind, failure, continues)) }
            })
    }

    private func call(_ event: HookEvent) throws(HookFailure) -> [UInt8] {
        let json = (try? JSON.parse(event.bytes, limits: .request)) ?? .null
        let (answer, action) = state.withLock { state in
            state.told.append(Told(kind: event.kind, event: json))
            let answer = state.answers.first { $0.kind == event.kind }?.answer
            let standard = event.kind == .token ? #"{"claims":{}}"# : #"{"decision":"allow"}"#
            return (answer ?? .success(Array(standard.utf8)), state.beforeAnswer)
        }
        action()
        return try answer.get()
    }
}
