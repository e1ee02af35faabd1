internal import COpenSSL

/// Digests without collision resistance. Only for protocols that require them, such as S3's ETags;
/// never for a security decision.
package enum BrokenDigest {
    /// MD5 (RFC 1321).
    package static func md5(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
        _ = MD5(bytes, bytes.count, &digest)
        return digest
    }

    /// SHA-1 (FIPS 180-4).
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        _ = SHA1(bytes, bytes.count, &digest)
        return digest
    }
}
