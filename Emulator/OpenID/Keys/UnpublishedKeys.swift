internal import Cryptography
internal import JOSE
internal import Synchronization

/// Keys that no issuer has, for tokens that must not be believed. Made at first use.
final class UnpublishedKeys: Sendable {
    private let random: RandomSource
    private let keys = Mutex<[SigningKey]>([])

    init(random: RandomSource) { self.random = random }

    func key(_ algorithm: Algorithm) throws(OAuthError) -> SigningKey {
        try keys.withLock { keys throws(OAuthError) in
            if let known = keys.first(where: { $0.algorithm == algorithm }) { return known }
            guard let key = try? SigningKey.generate(algorithm, random: random) else {
                throw .own(500, "A signing key could not be made.")
            }
            keys.append(key)
            return key
        }
    }
}
