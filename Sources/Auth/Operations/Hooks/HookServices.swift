/// The hooks of a deployment (`HOOKS`).
package struct HookServices: Sendable {
    package struct Hook: Sendable {
        let kind: HookKind
        /// Whether the operation continues if the hook fails.
        let failsOpen: Bool
        let call: Call

        package init(_ kind: HookKind, failsOpen: Bool, call: @escaping Call) {
            self.kind = kind
            self.failsOpen = failsOpen
            self.call = call
        }
    }

    /// Sends the event and waits for the answer, within the time limit of the deployment.
    package typealias Call = @Sendable (HookEvent) throws(HookFailure) -> [UInt8]
    package typealias Report = @Sendable (HookKind, HookFailure, _ continues: Bool) -> Void

    private let hooks: [Hook]
    private let report: Report
    /// The threads that wait for a hook: a hanging one must not block all threads of a server.
    private let share = ThreadShare(divisor: 2)

    package init(_ hooks: [Hook], report: @escaping Report = { _, _, _ in }) {
        self.hooks = hooks
        self.report = report
    }

    func addThread() { share.addThread() }

    func has(_ kind: HookKind) -> Bool { hooks.contains { $0.kind == kind } }

    /// nil if there is no such hook, or if it failed and the operation may continue without it.
    func answer<Answer>(
        to event: HookEvent, parsing parse: ([UInt8]) throws(HookFailure) -> Answer
    ) throws(AuthError) -> Answer? {
        guard let hook = hooks.first(where: { $0.kind == event.kind }) else { return nil }
        do throws(HookFailure) {
            guard share.enter() else { throw HookFailure.busy }
            defer { share.leave() }
            return try parse(try hook.call(event))
        } catch {
            report(event.kind, error, hook.failsOpen)
            guard hook.failsOpen else { throw .hook(.unavailable(event.kind)) }
            return nil
        }
    }
}

/// Why there is no valid answer of a hook.
package enum HookFailure: String, Error, CaseIterable, Sendable {
    case timedOut, unavailable
    /// The function ended with an error, or the server answered with another status than 200.
    case failed
    case tooLarge, malformed
    /// Too many requests wait for hooks.
    case busy
}
