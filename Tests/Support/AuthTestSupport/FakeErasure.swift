package import AuthDomain
package import AuthOperations
import Bytes
import Synchronization
package import Time

/// Storage and an identity provider of deleted accounts, which fail on request.
package final class FakeErasure: Sendable {
    private struct State: Sendable {
        var objects: [UserID: Int] = [:]
        /// Objects by name, below the prefix of their user.
        var names: [UserID: Set<String>] = [:]
        /// An application's data by user.
        var entries: [UserID: Set<String>] = [:]
        var merges: [AccountMerge] = []
        var erased: [EndedAccount] = []
        var applicationFailure: ErasureFailure?
        var revoked: [String] = []
        var calls = 0
        var objectsFailure: ErasureFailure?
        var revokeFailure: ErasureFailure?
        var objectsPerRun = Int.max
        var reports: [ErasureReport] = []
        var beforeCall: @Sendable () throws(ErasureFailure) -> Void = { () throws(ErasureFailure) in
        }
    }

    private let state = Mutex(State())

    /// Whether the deployment has storage, and an application that takes part in merges.
    private let hasStorage: Bool
    private let hasApplication: Bool
    /// Replaces the application.
    private let hooks: (services: HookServices, clock: WallClock)?

    package init(
        hasStorage: Bool = true, hasApplication: Bool = true,
        asking hooks: (services: HookServices, clock: WallClock)? = nil
    ) {
        self.hasStorage = hasStorage
        self.hasApplication = hasApplication
        self.hooks = hooks
    }

    package func addObject(_ name: String, of user: UserID) {
        _ = state.withLock { $0.names[user, default: []].insert(name) }
    }
    package func objectNames(of user: UserID) -> Set<String> {
        state.withLock { $0.names[user] ?? [] }
    }
    package func addEntry(_ name: String, of user: UserID) {
        _ = state.withLock { $0.entries[user, default: []].insert(name) }
    }
    package func entries(of user: UserID) -> Set<String> {
        state.withLock { $0.entries[user] ?? [] }
    }
    /// The calls of the application's part, in order.
    package var merges: [AccountMerge] { state.withLock { $0.merges } }
    /// The accounts whose entries the application was asked to erase, in order.
    package var erased: [EndedAccount] { state.withLock { $0.erased } }
    package func failApplication(_ failure: ErasureFailure?) {
        state.withLock { $0.applicationFailure = failure }
    }

    /// Sets the number of a user's objects.
    package func setObjects(_ count: Int, of user: UserID) {
        state.withLock { $0.objects[user] = count }
    }
    package func objects(of user: UserID) -> Int { state.withLock { $0.objects[user] ?? 0 } }
    /// The tokens that were revoked, in order.
    package var revoked: [String] { state.withLock { $0.revoked } }
    package var reports: [ErasureReport] { state.withLock { $0.reports } }

    /// Pass nil to make it work again.
    package func failObjects(_ failure: ErasureFailure?) {
        state.withLock { $0.objectsFailure = failure }
    }
    package func failRevoking(_ failure: ErasureFailure?) {
        state.withLock { $0.revokeFailure = failure }
    }
    /// Sets how many objects a run can delete before its time is over.
    package func limitObjects(perRun count: Int) { state.withLock { $0.objectsPerRun = count } }
    /// `body` runs before each call; if it throws, the call is not made.
    package func beforeCalls(_ body: @escaping @Sendable () throws(ErasureFailure) -> Void) {
        state.withLock { $0.beforeCall = body }
    }

    package var services: ErasureServices {
        let application = hasApplication ? MergeParticipant(move: move) : nil
        return ErasureServices(
            eraseObjects: hasStorage ? erase : nil, copyObjects: hasStorage ? copy : nil,
            participant: hooks.map { $0.services.mergeParticipant($0.clock) } ?? application,
            eraseApplicationPart: hooks.map { $0.services.erasure($0.clock) }
                ?? (hasApplication ? eraseEntries : nil),
            revoke: [
                "apple": { token, _, _ throws(ErasureFailure) in
                    try self.state.withLock { $0.beforeCall }()
                    let failure = self.state.withLock { state in
                        guard state.revokeFailure == nil else { return state.revokeFailure }
                        state.revoked.append(String(decoding: token.reveal(), as: UTF8.self))
                        return nil
                    }
                    if let failure { throw failure }
                }
            ], report: { report in self.state.withLock { $0.reports.append(report) } })
    }

    private func erase(_ user: UserID, _ end: Instant) throws(ErasureFailure) -> Bool {
        try state.withLock { $0.beforeCall }()
        let (left, failure) = state.withLock { state in
            guard state.objectsFailure == nil else { return (0, state.objectsFailure) }
            let count = state.objects[user] ?? 0
            let left = max(0, count - state.objectsPerRun)
            state.objects[user] = left
            state.names[user] = nil
            return (left, nil)
        }
        if let failure { throw failure }
        return left == 0
    }

    /// Two objects at a time.
    private func copy(
        _ copy: ObjectCopy, _ end: Instant
    ) throws(ErasureFailure) -> ObjectCopy.Progress {
        try state.withLock { $0.beforeCall }()
        let (progress, failure) = state.withLock {
            state -> (ObjectCopy.Progress, ErasureFailure?) in
            if let failure = state.objectsFailure { return (.outOfTime, failure) }
            let names = (state.names[copy.user] ?? []).sorted()
                .filter { name in copy.position.map { name > $0 } ?? true }
            guard let last = names.prefix(2).last else { return (.complete, nil) }
            state.names[copy.other, default: []].formUnion(names.prefix(2))
            return (.upTo(last), nil)
        }
        if let failure { throw failure }
        return progress
    }

    private func eraseEntries(_ ended: EndedAccount) throws(ErasureFailure) {
        try state.withLock { $0.beforeCall }()
        let failure = state.withLock { state -> ErasureFailure? in
            if let failure = state.applicationFailure { return failure }
            state.erased.append(ended)
            state.entries[ended.user] = nil
            return nil
        }
        if let failure { throw failure }
    }

    private func move(_ merge: AccountMerge) throws(ErasureFailure) {
        try state.withLock { $0.beforeCall }()
        let failure = state.withLock { state -> ErasureFailure? in
            if let failure = state.applicationFailure { return failure }
            state.merges.append(merge)
            let moved = state.entries[merge.user] ?? []
            state.entries[merge.user] = nil
            state.entries[merge.other, default: []].formUnion(moved)
            return nil
        }
        if let failure { throw failure }
    }
}
