internal import Bytes
internal import COpenSSL

/// The owner of one `EC_KEY` on P-256, with or without its private number.
///
/// Uses the low-level API instead of EVP, like `SHA256` and for the same reason: EVP looks
/// algorithms up by name for each signature (50,000 of 350,000 instructions, measured), and the
/// first look-up of a process costs 0.7 ms. Freeing the key wipes the private number.
///
/// Unchecked Sendable: OpenSSL allows several threads to use an object at once as long as none
/// modifies it (openssl-threads(7)), and after `init` it is never modified.
final class P256Key: @unchecked Sendable {
    private let key: OpaquePointer

    /// A public key from a point in uncompressed form. The library checks the range of the
    /// coordinates and the curve equation.
    convenience init(point: [UInt8]) throws(CryptoFailure) {
        try self.init { key throws(CryptoFailure) in
            guard OpenSSL.succeeded(EC_KEY_oct2key(key, point, point.count, nil)) else {
                throw .invalidKey
            }
        }
    }

    /// A private key from its number, without the public key, which signing does not need.
    convenience init(scalar: SecretBytes) throws(CryptoFailure) {
        let group = try P256.group()
        try self.init { key throws(CryptoFailure) in
            try P256.withScalar(scalar, in: group) { number throws(CryptoFailure) in
                // Copies the number and marks the copy as constant-time.
                try OpenSSL.check(EC_KEY_set_private_key(key, number))
            }
        }
    }

    private init(
        _ complete: (OpaquePointer) throws(CryptoFailure) -> Void
    ) throws(CryptoFailure) {
        let group = try P256.group()
        let key = try OpenSSL.check(EC_KEY_new())
        do throws(CryptoFailure) {
            // Copies the group, at a tenth of the cost of creating one by name.
            try OpenSSL.check(EC_KEY_set_group(key, group))
            try complete(key)
        } catch {
            EC_KEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit { EC_KEY_free(key) }

    /// `r || s`, 32 bytes each.
    func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let digest = SHA256.hash(message)
        let signature = ECDSA_do_sign(digest, Int32(digest.count), key)
        return try ECDSASignature(owning: signature).raw()
    }

    func withPointer<Result>(
        _ body: (OpaquePointer) throws(CryptoFailure) -> Result
    ) throws(CryptoFailure) -> Result {
        try body(key)
    }

    func verifies(raw signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let signature = ECDSASignature(raw: signature) else { return false }
        let digest = SHA256.hash(message)
        return OpenSSL.succeeded(
            ECDSA_do_verify(digest, Int32(digest.count), signature.pointer, key))
    }

    func verifies(der signature: [UInt8], for message: [UInt8]) -> Bool {
        let digest = SHA256.hash(message)
        return OpenSSL.succeeded(
            ECDSA_verify(
                0, digest, Int32(digest.count), signature, Int32(signature.count), key))
    }
}
