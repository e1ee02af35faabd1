internal import COpenSSL

/// The owner of one `RSA` with a public key, which verifies signatures with SHA-256. Uses the
/// low-level API instead of EVP, like `P256Key` and for the same reason.
///
/// Unchecked Sendable: OpenSSL allows several threads to use an object at once as long as none
/// modifies it (openssl-threads(7)), and after `init` it is never modified; OpenSSL protects its
/// internal cache with its own lock.
final class RSAVerifier: @unchecked Sendable {
    private let key: OpaquePointer

    init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoFailure) {
        OpenSSL.start()
        let key = try OpenSSL.check(RSA_new())
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        // On success the key owns both numbers.
        guard n != nil, e != nil, OpenSSL.succeeded(RSA_set0_key(key, n, e, nil)) else {
            BN_free(n)
            BN_free(e)
            RSA_free(key)
            throw .libraryFailure
        }
        self.key = key
    }

    deinit { RSA_free(key) }

    func verifies(_ signature: [UInt8], for message: [UInt8], _ padding: RSAPadding) -> Bool {
        let digest = SHA256.hash(message)
        switch padding {
        case .pkcs1:
            return OpenSSL.succeeded(
                RSA_verify(
                    NID_sha256, digest, UInt32(digest.count), signature, UInt32(signature.count),
                    key))
        case .pss:
            var encoded = [UInt8](repeating: 0, count: Int(RSA_size(key)))
            let count = RSA_public_decrypt(
                Int32(signature.count), signature, &encoded, key, RSA_NO_PADDING)
            guard OpenSSL.succeeded(count == encoded.count ? 1 : 0) else { return false }
            // RFC 7518 section 3.5: the salt is as long as the hash, and MGF1 uses the same hash.
            return OpenSSL.succeeded(
                RSA_verify_PKCS1_PSS_mgf1(
                    key, digest, EVP_sha256(), EVP_sha256(), encoded, Int32(digest.count)))
        }
    }
}
