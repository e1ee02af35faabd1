import AuthOperations
import Bytes
import Synchronization
import Time

/// A broker that notes what it is asked and answers as told.
final class FakeBroker: Sendable {
    private struct State {
        var asked: [StorageGrant] = []
        var failure: StorageFailure?
    }
    private let state = Mutex(State())
    var asked: [StorageGrant] { state.withLock { $0.asked } }
    func fail(_ failure: StorageFailure?) { state.withLock { $0.failure = failure } }

    var broker: StorageBroker {
        StorageBroker { grant, now throws(StorageFailure) in
            let failure = self.state.withLock { state in
                state.asked.append(grant)
                return state.failure
            }
            if let failure { throw failure }
            return StorageKeys(
                accessKeyID: "ASIAEXAMPLE", secretAccessKey: SecretBytes(utf8: "secret key"),
                sessionToken: SecretBytes(utf8: "session token"),
                expiresAt: now + grant.lifetime)
        }
    }
}
