internal import COpenSSL

/// An ECDSA signature: the numbers r and s.
struct ECDSASignature: ~Copyable {
    let pointer: OpaquePointer

    private static let width = P256PublicKey.coordinateByteCount

    /// Reads `r || s`; nil unless it has 64 bytes. The verification checks the range of the
    /// numbers.
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

    /// Takes ownership of the caller's reference.
    init(owning signature: OpaquePointer?) throws(CryptoFailure) {
        pointer = try OpenSSL.check(signature)
    }

    deinit { ECDSA_SIG_free(pointer) }

    /// `r || s`, 32 bytes each.
    func raw() throws(CryptoFailure) -> [UInt8] {
        // Borrowed from the signature: not to be freed.
        try BigNumber.bytes(ECDSA_SIG_get0_r(pointer), width: Self.width)
            + BigNumber.bytes(ECDSA_SIG_get0_s(pointer), width: Self.width)
    }
}
