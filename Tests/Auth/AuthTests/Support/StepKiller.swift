import Synchronization

/// A process that is killed at one of the steps that change something: writes of the store, and
/// calls to the outside.
final class StepKiller: Sendable {
    enum Death: CaseIterable, Sendable {
        /// Before the step: the call never happens.
        case before
        /// After a write, before its response.
        case after
    }

    private let steps = Mutex(0)
    private let last: Int
    private let death: Death

    init(atStep last: Int, _ death: Death) {
        self.last = last
        self.death = death
    }

    /// Whether there were so many steps.
    var hasKilled: Bool { steps.withLock { $0 } >= last }

    /// The fate of the next step.
    private func next() -> FaultyStore.Fate {
        let step = steps.withLock { steps in
            steps += 1
            return steps
        }
        if step < last { return .fine }
        if step == last, death == .after { return .answerLost }
        return .refused(.unavailable(detail: "killed"))
    }

    func install(_ store: FaultyStore, _ erasure: FakeErasure) {
        store.setFate { call in
            if case .write = call { return self.next() }
            return self.hasKilled ? .refused(.unavailable(detail: "killed")) : .fine
        }
        erasure.beforeCalls { () throws(ErasureFailure) in
            if case .refused = self.next() { throw .unavailable }
        }
    }

    /// The next process.
    static func remove(_ store: FaultyStore, _ erasure: FakeErasure) {
        store.comeBack()
        erasure.beforeCalls { () throws(ErasureFailure) in }
    }
}
