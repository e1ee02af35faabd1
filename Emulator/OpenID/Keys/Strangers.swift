internal import Cryptography
internal import JOSE
internal import Synchronization

/// Keys that no issuer has, for tokens that must not be believed. Made at first use.
final class Strangers: Sendable {
    private let random: RandomSource
    private let keys = Mutex<[SigningKey]>([])

    init(random: RandomSource) { self.random = random }

    func key(_ algorithm: Algorithm) throws(Refusal) -> SigningKey {
        try keys.withLock { keys throws(Refusal) in
            if let known = keys.first(where: { $0.algorithm == algorithm }) { return known }
            guard let key = try? SigningKey.generate(algorithm, random: random) else {
                throw .own(500, "A signing key could not be made.")
            }
            keys.append(key)
            return key
        }
    }
}
