internal import Bytes
internal import COpenSSL

/// The secret numbers of one ECDSA signature on P-256 with SHA-256, by RFC 6979 section 3.2: the
/// first number is used, and the next one only if the first is unsuitable.
///
/// A known or repeated number reveals the private key. With random bytes (section 3.6) it cannot be
/// computed from the message; if the random bytes repeat, as after the copy of a virtual machine,
/// another message still has another number.
struct ECDSANonces: ~Copyable {
    private var key = SecretBytes([UInt8](repeating: 0, count: SHA256.byteCount))
    private var value = SecretBytes([UInt8](repeating: 1, count: SHA256.byteCount))

    /// - Parameters:
    ///   - scalar: the private key.
    ///   - digest: the digest of the message, as `bits2octets` returns it.
    init(scalar: SecretBytes, digest: SecretBytes, random: SecretBytes) {
        for step: UInt8 in [0, 1] {
            stir([SecretBytes([step]), scalar, digest, random])
        }
    }

    /// The next number of 32 bytes. The caller must check that it is from 1 to n - 1.
    mutating func next() -> SecretBytes {
        value = HMAC.sha256([value], key: key)
        return value
    }

    /// Rejects the last number. Call this before you ask for the next number.
    mutating func reject() { stir([SecretBytes([0])]) }

    private mutating func stir(_ seed: [SecretBytes]) {
        key = HMAC.sha256([value] + seed, key: key)
        value = HMAC.sha256([value], key: key)
    }
}

extension P256Key {
    /// `r || s`, 32 bytes each.
    ///
    /// This is for a process that serves one request. `ECDSA_do_sign` takes its secret number from
    /// a generator and a hash that the library first looks up by name. The two look-ups take more
    /// than half of the instructions of a process that signs one token.
    ///
    /// - Parameters:
    ///   - scalar: the private number of this key.
    ///   - random: 32 bytes. If it is empty, a message gets the same signature each time.
    func sign(
        _ message: [UInt8], scalar: SecretBytes, random: SecretBytes
    ) throws(CryptoFailure) -> [UInt8] {
        let digest = SHA256.hash(message)
        var nonces = ECDSANonces(
            scalar: scalar, digest: SecretBytes(try P256.reduced(digest)), random: random)
        // The first number is too large once in 2^32 cases.
        for _ in 0..<16 {
            do throws(CryptoFailure) {
                return try sign(digest: digest, nonce: nonces.next())
            } catch {
                guard case .invalidKey = error else { throw error }
                nonces.reject()
            }
        }
        throw .libraryFailure
    }

    private func sign(digest: [UInt8], nonce: SecretBytes) throws(CryptoFailure) -> [UInt8] {
        let group = try P256.group()
        return try P256.withScalar(nonce, in: group) { nonce throws(CryptoFailure) in
            let numbers = try SigningNumbers(nonce: nonce, in: group)
            return try withPointer { key throws(CryptoFailure) in
                let signature = ECDSA_do_sign_ex(
                    digest, Int32(digest.count), numbers.inverse, numbers.r, key)
                return try ECDSASignature(owning: signature).raw()
            }
        }
    }
}

/// The values that a signature derives from its secret number k: `r`, the x coordinate of `k * G`,
/// and `1 / k`, both modulo the group's order.
private struct SigningNumbers: ~Copyable {
    let r: OpaquePointer
    let inverse: OpaquePointer

    init(nonce: OpaquePointer, in group: OpaquePointer) throws(CryptoFailure) {
        let context = try OpenSSL.check(BN_CTX_new())
        defer { BN_CTX_free(context) }
        let r = try Self.coordinate(of: nonce, in: group, context)
        do throws(CryptoFailure) {
            inverse = try Self.inverse(of: nonce, in: group, context)
        } catch {
            BN_clear_free(r)
            throw error
        }
        self.r = r
    }

    deinit {
        BN_clear_free(r)
        BN_clear_free(inverse)
    }

    private static func coordinate(
        of nonce: OpaquePointer, in group: OpaquePointer, _ context: OpaquePointer
    ) throws(CryptoFailure) -> OpaquePointer {
        let point = try OpenSSL.check(EC_POINT_new(group))
        defer { EC_POINT_clear_free(point) }
        try OpenSSL.check(EC_POINT_mul(group, point, nonce, nil, nil, context))
        let r = try OpenSSL.check(BN_new())
        guard
            OpenSSL.succeeded(EC_POINT_get_affine_coordinates(group, point, r, nil, context)),
            OpenSSL.succeeded(BN_nnmod(r, r, EC_GROUP_get0_order(group), context)),
            BN_is_zero(r) == 0
        else {
            BN_clear_free(r)
            throw .libraryFailure
        }
        return r
    }

    /// The library's time for an inverse depends on the number, so the number is first multiplied
    /// by a random one.
    private static func inverse(
        of nonce: OpaquePointer, in group: OpaquePointer, _ context: OpaquePointer
    ) throws(CryptoFailure) -> OpaquePointer {
        let order = EC_GROUP_get0_order(group)
        let mask = RandomSource.system.secret(count: SHA256.byteCount)
        return try BigNumber.with(mask) { mask throws(CryptoFailure) in
            let product = try OpenSSL.check(BN_new())
            guard OpenSSL.succeeded(BN_mod_mul(product, nonce, mask, order, context)),
                BN_mod_inverse(product, product, order, context) != nil,
                OpenSSL.succeeded(BN_mod_mul(product, product, mask, order, context))
            else {
                BN_clear_free(product)
                ERR_clear_error()
                throw .libraryFailure
            }
            return product
        }
    }
}
