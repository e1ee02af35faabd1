package import Bytes

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// RFC 5869 section 2.3: at most 255 blocks.
    package static let bytesMax = 255 * SHA256.byteCount

    package static func sha256(
        _ input: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) -> SecretBytes {
        precondition((1...bytesMax).contains(count), "HKDF gives 1 to 8160 bytes")
        // Extract. An absent salt is a block of zeros (section 2.2), the same as HMAC with an empty
        // key.
        let key = SecretBytes(HMAC.sha256(input.reveal(), key: SecretBytes(salt)))
        // Expand.
        var output: [UInt8] = []
        output.reserveCapacity(count + SHA256.byteCount)
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            block = HMAC.sha256(block + info + [counter], key: key)
            output += block
        }
        output.removeLast(output.count - count)
        return SecretBytes(output)
    }
}
