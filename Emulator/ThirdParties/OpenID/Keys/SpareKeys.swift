internal import Cryptography
internal import JOSE
internal import Synchronization
internal import Threads

/// RSA keys generated in the background at idle priority, so that the first sign-in does not wait a
/// fifth of a second for them.
final class SpareKeys: Sendable {
    static let algorithm = Algorithm.rs256

    private let keys = Mutex<[SigningKey]>([])

    /// A request that finds no key here generates its own: waiting for this thread could take long.
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
