package import Bytes
internal import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), with a random nonce for each message.
///
/// A random 96-bit nonce allows 2^32 messages under one key (SP 800-38D section 8.3). Derive a key
/// for each purpose with `HKDF`, and that limit is not reached in practice.
package struct AESGCMKey: Sendable {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16
    package static let plaintextBytesMax = 1 << 24

    private let key: SecretBytes
    /// Replaced keys, which only decrypt.
    private let previous: [SecretBytes]

    package init(
        _ key: SecretBytes, previous: [SecretBytes] = []
    ) throws(CryptoFailure) {
        guard ([key] + previous).allSatisfy({ $0.count == Self.keyByteCount }) else {
            throw .invalidKey
        }
        self.key = key
        self.previous = previous
    }

    /// Returns `nonce || ciphertext || tag`. `additional` is authenticated but not encrypted: pass
    /// the row's key, so that a ciphertext cannot be moved to another row.
    package func seal(
        _ plaintext: [UInt8], additional: [UInt8], random: RandomSource
    ) throws(CryptoFailure) -> [UInt8] {
        try seal(SecretBytes(plaintext), additional: additional, random: random)
    }

    package func seal(
        _ plaintext: SecretBytes, additional: [UInt8], random: RandomSource
    ) throws(CryptoFailure) -> [UInt8] {
        let nonce = random.bytes(Self.nonceByteCount)
        guard nonce.count == Self.nonceByteCount, plaintext.count <= Self.plaintextBytesMax,
            additional.count <= Self.plaintextBytesMax
        else { throw .limitExceeded }
        let context = try Context(key: key, nonce: nonce, isSealing: true)
        try context.update(additional: additional)
        let ciphertext = try context.update(plaintext)
        try OpenSSL.check(context.finish())
        return nonce + ciphertext + (try context.tag())
    }

    package func open(
        _ sealed: [UInt8], additional: [UInt8]
    ) throws(CryptoFailure) -> SecretBytes {
        do throws(CryptoFailure) {
            return try Self.open(sealed, additional: additional, with: key)
        } catch {
            guard error == .notAuthentic else { throw error }
            for other in previous {
                if let plain = try? Self.open(sealed, additional: additional, with: other) {
                    return plain
                }
            }
            throw error
        }
    }

    /// Whether the message should be encrypted again, because the current key cannot decrypt it.
    package func isOutdated(_ sealed: [UInt8], additional: [UInt8]) -> Bool {
        guard !previous.isEmpty else { return false }
        return (try? Self.open(sealed, additional: additional, with: key)) == nil
    }

    private static func open(
        _ sealed: [UInt8], additional: [UInt8], with key: SecretBytes
    ) throws(CryptoFailure) -> SecretBytes {
        guard sealed.count >= nonceByteCount + tagByteCount else { throw .notAuthentic }
        guard sealed.count <= plaintextBytesMax + nonceByteCount + tagByteCount,
            additional.count <= plaintextBytesMax
        else { throw .limitExceeded }
        let nonce = Array(sealed.prefix(nonceByteCount))
        let ciphertext = Array(
            sealed.dropFirst(nonceByteCount).dropLast(tagByteCount))
        let context = try Context(key: key, nonce: nonce, isSealing: false)
        try context.expect(tag: Array(sealed.suffix(tagByteCount)))
        try context.update(additional: additional)
        // The text is not authenticated until `finish` succeeds. It is a `SecretBytes`, so that it
        // is wiped on failure.
        let plaintext = SecretBytes(try context.update(SecretBytes(ciphertext)))
        guard OpenSSL.succeeded(context.finish()) else { throw .notAuthentic }
        return plaintext
    }
}

/// One encryption or decryption in the C library.
private struct Context: ~Copyable {
    private let pointer: OpaquePointer

    init(key: SecretBytes, nonce: [UInt8], isSealing: Bool) throws(CryptoFailure) {
        let cipher = OpenSSL.aes256GCM.pointer
        let pointer = try OpenSSL.check(EVP_CIPHER_CTX_new())
        let code = key.withUnsafeBytes { bytes in
            EVP_CipherInit_ex2(
                pointer, cipher, bytes.bindMemory(to: UInt8.self).baseAddress, nonce,
                isSealing ? 1 : 0, nil)
        }
        do throws(CryptoFailure) {
            try OpenSSL.check(code)
        } catch {
            EVP_CIPHER_CTX_free(pointer)
            throw error
        }
        self.pointer = pointer
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }

    func update(additional: [UInt8]) throws(CryptoFailure) {
        guard !additional.isEmpty else { return }
        var written: Int32 = 0
        try OpenSSL.check(
            EVP_CipherUpdate(pointer, nil, &written, additional, Int32(additional.count)))
    }

    func update(_ input: SecretBytes) throws(CryptoFailure) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        let code = input.withUnsafeBytes { bytes in
            EVP_CipherUpdate(
                pointer, &output, &written, bytes.bindMemory(to: UInt8.self).baseAddress,
                Int32(bytes.count))
        }
        try OpenSSL.check(code)
        guard Int(written) == output.count else { throw .libraryFailure }
        return output
    }

    /// 1 if the message is complete and, for decryption, the tag is valid.
    func finish() -> Int32 {
        var unused = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        return EVP_CipherFinal_ex(pointer, &unused, &written)
    }

    func tag() throws(CryptoFailure) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: AESGCMKey.tagByteCount)
        try OpenSSL.check(
            EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag))
        return tag
    }

    func expect(tag: [UInt8]) throws(CryptoFailure) {
        var tag = tag
        try OpenSSL.check(
            EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag))
    }
}
