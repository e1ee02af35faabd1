package import AuthDomain
package import AuthOperations
import Bytes
import Synchronization
import Time

/// Storage and an identity provider of deleted accounts, which fail on request.
package final class FakeErasure: Sendable {
    private struct State: Sendable {
        var objects: [UserID: Int] = [:]
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

    package init() {}

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
        ErasureServices(
            eraseObjects: { user, _ throws(ErasureFailure) in
                try self.state.withLock { $0.beforeCall }()
                let (left, failure) = self.state.withLock { state in
                    guard state.objectsFailure == nil else { return (0, state.objectsFailure) }
                    let count = state.objects[user] ?? 0
                    let left = max(0, count - state.objectsPerRun)
                    state.objects[user] = left
                    return (left, nil)
                }
                if let failure { throw failure }
                return left == 0
            },
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
}
