import Cryptography
import Glibc

/// Random delays around the time at which a process has just responded, which depends on the
/// machine and its load and is adapted.
struct KillMoments {
    let seed: UInt64
    private let random: RandomSource
    private var microsecondsMax = 30_000.0

    init() {
        seed = RandomSource.system.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        random = .seeded(seed)
    }

    func wait() {
        let fraction = random.bytes(2).reduce(0) { $0 * 256 + Double($1) } / 65536
        usleep(UInt32(microsecondsMax * fraction))
    }

    mutating func adapt(wasLate: Bool) {
        microsecondsMax = min(1_000_000, max(1000, microsecondsMax * (wasLate ? 0.85 : 1.25)))
    }
}
