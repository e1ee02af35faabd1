package import Bytes
internal import COpenSSL

/// HMAC (RFC 2104) over the SHA-2 family.
package enum HMAC {
    package static func sha256(_ message: [UInt8], key: SecretBytes) -> [UInt8] {
        compute(message, key: key, digest: "SHA256", byteCount: 32)
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
