package import Bytes
internal import COpenSSL

/// HMAC (RFC 2104) over the SHA-2 family.
package enum HMAC {
    /// RFC 2104 section 2, spelled out on `SHA256`: through the library it would cost a cold
    /// process its start.
    package static func sha256(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        let block = SHA256.blockByteCount
        var padded = key.count > block ? SHA256.hash(key.reveal()) : key.reveal()
        padded += [UInt8](repeating: 0, count: block - padded.count)
        let inner = SHA256.hash(SecretBytes(padded.map { $0 ^ 0x36 }), then: message)
        let outer = SHA256.hash(SecretBytes(padded.map { $0 ^ 0x5C }), then: inner)
        padded.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
        return outer
    }

    package static func sha384(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA384", byteCount: 48)
    }

    package static func sha512(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA512", byteCount: 64)
    }

    /// Whether `code` is the full HMAC-SHA-256 of the message. A truncated code is not.
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
