internal import Bytes
internal import COpenSSL

/// The owner of one `EC_KEY` on P-256, with or without its private number.
///
/// Below EVP, like `SHA256` and for the same reason: EVP looks its algorithms up by name for each
/// signature (50,000 of 350,000 instructions, measured), and the first look-up of a process costs
/// 0.7 ms. Freeing the key wipes the private number.
///
/// Unchecked, because OpenSSL guarantees it: an object may be used by several threads at once as
/// long as it is not modified (openssl-threads(7)), and after `init` it never is.
final class P256Key: @unchecked Sendable {
    private let key: OpaquePointer

    /// From a point in uncompressed form, which verifies. The library checks the coordinates'
    /// range and the curve's equation.
    convenience init(point: [UInt8]) throws(CryptoFailure) {
        try self.init { key throws(CryptoFailure) in
            guard OpenSSL.succeeded(EC_KEY_oct2key(key, point, point.count, nil)) else {
                throw .invalidKey
            }
        }
    }

    /// From a private number, which signs. There is no public half in it: signing needs none.
    convenience init(scalar: SecretBytes) throws(CryptoFailure) {
        let group = try P256.group()
        try self.init { key throws(CryptoFailure) in
            try P256.withScalar(scalar, in: group) { number throws(CryptoFailure) in
                // Copies the number and makes the copy constant-time.
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
            // The group is copied, which costs a tenth of making one by its name.
            try OpenSSL.check(EC_KEY_set_group(key, group))
            try complete(key)
        } catch {
            EC_KEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit { EC_KEY_free(key) }

    func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let digest = SHA256.hash(message)
        let signature = ECDSA_do_sign(digest, Int32(digest.count), key)
        return try ECDSASignature(owning: signature).raw()
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
