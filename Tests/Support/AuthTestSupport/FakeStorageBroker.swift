package import AuthOperations
import Bytes
import Synchronization
import Time

/// A storage broker that records requests and returns configured results.
package final class FakeStorageBroker: Sendable {
    private struct State {
        var asked: [StorageGrant] = []
        var failure: StorageFailure?
    }

    private let state = Mutex(State())

    package init() {}

    package var asked: [StorageGrant] { state.withLock { $0.asked } }
    package func fail(_ failure: StorageFailure?) { state.withLock { $0.failure = failure } }

    package func services(
        bucket: String = "photos", prefix template: String = "users/{userId}/"
    ) throws -> StorageServices {
        guard let bucket = BucketName(parsing: bucket) else { throw AuthKit.KitFailure.noBucket }
        return StorageServices(
            place: StoragePlace(
                bucket: bucket, region: "eu-central-1", partition: "aws",
                prefixTemplate: template, endpoint: nil), broker: broker)
    }

    private var broker: StorageBroker {
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
