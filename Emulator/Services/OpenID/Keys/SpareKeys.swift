internal import Cryptography
internal import JOSE
internal import Synchronization
internal import Threads

/// RSA keys that are made before anybody needs them, in time that no other thread wants. Otherwise
/// the first person who signs in would wait a fifth of a second for them.
final class SpareKeys: Sendable {
    static let algorithm = Algorithm.rs256

    private let keys = Mutex<[SigningKey]>([])

    /// Whoever needs a key that is not made yet makes one: to wait for this thread could take long.
    func make(_ count: Int, random: RandomSource) {
        guard count > 0 else { return }
        PosixThread.detached { [weak self] in
            PosixThread.runOnlyIfIdle()
            for _ in 0..<count {
                guard let self, let key = try? SigningKey.generate(Self.algorithm, random: random)
                else { return }
                self.keys.withLock { $0.append(key) }
            }
        }
    }

    func take(_ algorithm: Algorithm) -> SigningKey? {
        algorithm == Self.algorithm ? keys.withLock { $0.popLast() } : nil
    }
}
