internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

/// Placeholder until the AWS clients are merged.
struct AWSParts {
    init(_ assembly: Assembly) {}

    var secretSource: SecretSource {
        SecretSource { _ throws(SecretFailure) in throw .notFetched }
    }

    func dynamoDBStore(table: String) -> any KeyValueStore { MemoryStore(clock: .system) }

    func broker(
        _ settings: StorageSettings, ring: KeyRing, issuer: String, random: RandomSource
    ) -> StorageBroker {
        StorageBroker { _, _ throws(StorageFailure) in throw .unavailable }
    }
}
