package import Bytes
internal import COpenSSL

/// PBKDF2 with HMAC-SHA-256 (RFC 8018), for imported password hashes.
package enum PBKDF2 {
    package static let iterationsMax = 10_000_000
    package static let bytesMax = 1024

    package static func sha256(
        _ password: SecretBytes, salt: [UInt8], iterations: Int, count: Int
    ) throws(CryptoFailure) -> SecretBytes {
        guard (1...iterationsMax).contains(iterations), (1...bytesMax).contains(count),
            password.count <= PasswordHash.passwordBytesMax, salt.count <= 1 << 16
        else { throw .limitExceeded }
        let digest = OpenSSL.sha256.pointer
        var output = [UInt8](repeating: 0, count: count)
        let code = password.withUnsafeBytes { bytes in
            PKCS5_PBKDF2_HMAC(
                bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), salt,
                Int32(salt.count), Int32(iterations), digest, Int32(count), &output)
        }
        try OpenSSL.check(code)
        return SecretBytes(output)
    }
}
