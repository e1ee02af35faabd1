internal import Synchronization

/// SplitMix64 (Steele, Lea and Flood, 2014), with one state for all callers.
final class SeededGenerator: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) { state = Mutex(seed) }

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count + 7)
            while bytes.count < count {
                state &+= 0x9E37_79B9_7F4A_7C15
                var word = state
                word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
                word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
                word ^= word >> 31
                for shift in stride(from: 0, to: 64, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
                }
            }
            return Array(bytes.prefix(count))
        }
    }
}
