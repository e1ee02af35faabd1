package import Bytes
internal import COpenSSL

/// scrypt (RFC 7914), for imported password hashes.
package enum Scrypt {
    package struct Cost: Equatable, Sendable {
        /// N: a power of two.
        package let iterations: Int
        /// r
        package let blockSize: Int
        /// p
        package let parallelism: Int

        /// Limits for a stored hash: without them a row could make a function run out of memory or
        /// time.
        package static let memoryBytesMax = 256 << 20
        package static let workBytesMax = 1 << 30

        package init(
            iterations: Int, blockSize: Int, parallelism: Int
        ) throws(CryptoFailure) {
            guard (2...1 << 20).contains(iterations), iterations & (iterations - 1) == 0,
                (1...64).contains(blockSize), (1...64).contains(parallelism),
                128 * iterations * blockSize <= Self.memoryBytesMax,
                128 * iterations * blockSize * parallelism <= Self.workBytesMax
            else { throw .limitExceeded }
            self.iterations = iterations
            self.blockSize = blockSize
            self.parallelism = parallelism
        }
    }

    package static func derive(
        _ password: SecretBytes, salt: [UInt8], cost: Cost, count: Int
    ) throws(CryptoFailure) -> SecretBytes {
        guard (1...PBKDF2.bytesMax).contains(count),
            password.count <= PasswordHash.passwordBytesMax, salt.count <= PBKDF2.saltBytesMax
        else { throw .limitExceeded }
        var output = [UInt8](repeating: 0, count: count)
        let code = password.withUnsafeBytes { bytes in
            EVP_PBE_scrypt(
                bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, salt, salt.count,
                UInt64(cost.iterations), UInt64(cost.blockSize), UInt64(cost.parallelism),
                // The memory for the parameters, plus an allowance for the library itself.
                UInt64(Cost.memoryBytesMax + (16 << 20)), &output, count)
        }
        try OpenSSL.check(code)
        return SecretBytes(output)
    }
}
