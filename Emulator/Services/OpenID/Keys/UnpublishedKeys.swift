internal import Cryptography
internal import JOSE
internal import Synchronization

/// Keys that no issuer publishes, for tokens that must be rejected. Generated at first use.
final class UnpublishedKeys: Sendable {
    private let random: RandomSource
    private let keys = Mutex<[SigningKey]>([])

    init(random: RandomSource) { self.random = random }

    func key(_ algorithm: Algorithm) throws(OAuthError) -> SigningKey {
        try keys.withLock { keys throws(OAuthError) in
            if let known = keys.first(where: { $0.algorithm == algorithm }) { return known }
            guard let key = try? SigningKey.generate(algorithm, random: random) else {
                throw .own(500, "Cannot generate a signing key.")
            }
            keys.append(key)
            return key
        }
    }
}
