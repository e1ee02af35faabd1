package import Bytes
internal import COpenSSL

/// HMAC (RFC 2104) with the SHA-2 family, and with SHA-1 for one-time codes.
package enum HMAC {
    /// This is RFC 2104 section 2 with `SHA256`: OpenSSL's EVP_MAC looks the algorithm up by name,
    /// which costs a cold process more than the computation.
    package static func sha256(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        sha256(key: key) { $0.update(message) }
    }

    /// The code of a secret message, in pieces, which is itself a secret.
    static func sha256(_ pieces: [SecretBytes], key: SecretBytes) -> SecretBytes {
        SecretBytes(
            sha256(key: key) { hasher in
                for piece in pieces { piece.withUnsafeBytes { hasher.update($0) } }
            })
    }

    private static func sha256(
        key: SecretBytes, feeding message: (inout SHA256Hasher) -> Void
    ) -> [UInt8] {
        let inner = digest(after: key, pad: 0x36, feeding: message)
        return digest(after: key, pad: 0x5C) { $0.update(inner) }
    }

    /// The hash of the key block XOR the pad, followed by a message.
    private static func digest(
        after key: SecretBytes, pad: UInt8, feeding message: (inout SHA256Hasher) -> Void
    ) -> [UInt8] {
        var hasher = SHA256Hasher()
        withUnsafeTemporaryAllocation(byteCount: SHA256.blockByteCount, alignment: 16) { block in
            block.initializeMemory(as: UInt8.self, repeating: pad)
            // A key longer than a block is replaced by its hash.
            let short =
                key.count > block.count ? SecretBytes(key.withUnsafeBytes(SHA256.hash)) : key
            short.withUnsafeBytes { bytes in
                for index in bytes.indices { block[index] ^= bytes[index] }
            }
            hasher.update(UnsafeRawBufferPointer(block))
            OPENSSL_cleanse(block.baseAddress, block.count)
        }
        message(&hasher)
        return hasher.finalize()
    }

    /// HMAC-SHA-1, only for one-time codes (RFC 4226 section 5.3). The attacks on SHA-1 find
    /// collisions, which do not help against HMAC (RFC 6194 section 3.3).
    package static func sha1(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA1", byteCount: 20)
    }

    package static func sha384(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA384", byteCount: 48)
    }

    package static func sha512(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA512", byteCount: 64)
    }

    /// Whether `code` is the full HMAC-SHA-256 of the message. Truncated codes are not valid.
    package static func isValid(
        _ code: [UInt8], for message: [UInt8], key: SecretBytes
    ) -> Bool {
        constantTimeEquals(code, sha256(message, key: key))
    }

    private static func compute(
        _ message: [UInt8], key: SecretBytes, digest: String, byteCount: Int
    ) -> [UInt8] {
        OpenSSL.start()
        var code = [UInt8](repeating: 0, count: byteCount)
        let isDone = key.withUnsafeBytes { keyBytes in
            EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, keyBytes.baseAddress, keyBytes.count, message,
                message.count, &code, byteCount, nil) != nil
        }
        OpenSSL.require(isDone ? 1 : 0)
        return code
    }
}
