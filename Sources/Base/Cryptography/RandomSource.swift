package import Bytes
internal import Glibc

/// A source of random bytes, passed as an argument: `.system` in production, `.seeded` in tests.
package struct RandomSource: Sendable {
    package let bytes: @Sendable (_ count: Int) -> [UInt8]

    package init(bytes: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.bytes = bytes }

    /// The kernel's generator. It blocks until it is seeded, and fails only if the kernel does not
    /// have it, so there is no fallback.
    package static let system = RandomSource { count in
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { buffer in
            // getentropy(3) returns at most 256 bytes per call.
            for start in stride(from: 0, to: count, by: 256) {
                let piece = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[start..<min(start + 256, count)])
                guard let address = piece.baseAddress else { continue }
                precondition(getentropy(address, piece.count) == 0, "no random bytes")
            }
        }
        return bytes
    }

    /// Gives the same bytes for the same seed. It is only for tests: SplitMix64 is not a
    /// cryptographic generator.
    package static func seeded(_ seed: UInt64) -> RandomSource {
        let generator = SeededGenerator(seed: seed)
        return RandomSource { count in generator.bytes(count) }
    }

    package func secret(count: Int) -> SecretBytes { SecretBytes(bytes(count)) }
}
