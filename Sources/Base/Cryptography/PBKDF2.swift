package import Bytes
internal import COpenSSL

/// PBKDF2 with HMAC (RFC 8018), for imported password hashes.
package enum PBKDF2 {
    package enum Digest: String, Sendable {
        case sha1, sha256, sha512
    }

    package static let iterationsMax = 10_000_000
    package static let bytesMax = 1024
    package static let saltBytesMax = 1 << 16

    package static func derive(
        _ digest: Digest, _ password: SecretBytes, salt: [UInt8], iterations: Int, count: Int
    ) throws(CryptoFailure) -> SecretBytes {
        guard (1...iterationsMax).contains(iterations), (1...bytesMax).contains(count),
            password.count <= PasswordHash.passwordBytesMax, salt.count <= saltBytesMax
        else { throw .limitExceeded }
        var output = [UInt8](repeating: 0, count: count)
        let code = password.withUnsafeBytes { bytes in
            PKCS5_PBKDF2_HMAC(
                bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), salt,
                Int32(salt.count), Int32(iterations), digest.pointer, Int32(count), &output)
        }
        try OpenSSL.check(code)
        return SecretBytes(output)
    }
}

extension PBKDF2.Digest {
    fileprivate var pointer: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: OpenSSL.sha256.pointer
        case .sha512: EVP_sha512()
        }
    }
}
