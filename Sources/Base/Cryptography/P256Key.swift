internal import Bytes
internal import COpenSSL

/// The owner of one `EC_KEY` that verifies.
///
/// Below EVP, like `SHA256` and for the same reason: verifying the first signature of a process
/// costs 0.3 ms this way and 1.0 ms with the look-ups of EVP (measured, static build), and the
/// access token's signature is the first thing most functions verify.
///
/// Unchecked, because OpenSSL guarantees it: an object may be used by several threads at once as
/// long as nobody modifies it (openssl-threads(7)), and after `init` nobody does.
final class P256Verifier: @unchecked Sendable {
    private let key: OpaquePointer

    /// From a point in uncompressed form. The library checks the coordinates' range and the
    /// curve's equation.
    init(point: [UInt8]) throws(CryptoFailure) {
        OpenSSL.start()
        let key = try OpenSSL.check(EC_KEY_new_by_curve_name(NID_X9_62_prime256v1))
        guard OpenSSL.succeeded(EC_KEY_oct2key(key, point, point.count, nil)) else {
            EC_KEY_free(key)
            throw .invalidKey
        }
        self.key = key
    }

    deinit { EC_KEY_free(key) }

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

/// The two numbers of an ECDSA signature.
struct ECDSASignature: ~Copyable {
    let pointer: OpaquePointer

    private static let width = P256PublicKey.coordinateByteCount

    /// From `r || s`; nil unless it is 64 bytes. Whether the numbers are in range is for the one
    /// who verifies to say.
    init?(raw: [UInt8]) {
        guard raw.count == P256PublicKey.signatureByteCount, let pointer = ECDSA_SIG_new() else {
            return nil
        }
        let r = BN_bin2bn(raw, Int32(Self.width), nil)
        let s = BN_bin2bn(Array(raw.suffix(Self.width)), Int32(Self.width), nil)
        // On success the signature owns both numbers.
        guard r != nil, s != nil, OpenSSL.succeeded(ECDSA_SIG_set0(pointer, r, s)) else {
            BN_free(r)
            BN_free(s)
            ECDSA_SIG_free(pointer)
            return nil
        }
        self.pointer = pointer
    }

    init(der: [UInt8]) throws(CryptoFailure) {
        let signature = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &position, buffer.count)
        }
        pointer = try OpenSSL.check(signature)
    }

    deinit { ECDSA_SIG_free(pointer) }

    /// `r || s`, 32 bytes each.
    func raw() throws(CryptoFailure) -> [UInt8] {
        // Lent by the signature, not ours to free.
        try BigNumber.bytes(ECDSA_SIG_get0_r(pointer), width: Self.width)
            + BigNumber.bytes(ECDSA_SIG_get0_s(pointer), width: Self.width)
    }
}
