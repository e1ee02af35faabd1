internal import COpenSSL

/// Digests without collision resistance: they detect accidents, not attacks.
/// For what others once chose, as S3 did for its ETags, and never for anything of ours.
package enum BrokenDigest {
    /// RFC 1321.
    package static func md5(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
        _ = MD5(bytes, bytes.count, &digest)
        return digest
    }

    /// FIPS 180-4.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        _ = SHA1(bytes, bytes.count, &digest)
        return digest
    }
}
