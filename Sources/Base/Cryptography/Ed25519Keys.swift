package import Bytes
internal import COpenSSL

/// An Ed25519 public key (RFC 8032).
package struct Ed25519PublicKey: Sendable {
    package static let byteCount = 32
    package static let signatureByteCount = 64

    package let bytes: [UInt8]
    private let handle: KeyHandle

    /// Throws for bytes that do not encode a point, and for the points of small order, for which
    /// one signature is valid for every message. OpenSSL accepts both when it loads a key, and
    /// rejects bytes without a point only when it verifies.
    package init(bytes: [UInt8]) throws(CryptoFailure) {
        OpenSSL.start()
        guard bytes.count == Self.byteCount, try Ed25519Point.isUsable(bytes) else {
            throw .invalidKey
        }
        try self.init(derived: bytes)
    }

    /// The public key that the library derived from a private key.
    fileprivate init(derived bytes: [UInt8]) throws(CryptoFailure) {
        self.bytes = bytes
        handle = try KeyHandle(
            owning: EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count))
    }

    package init(pem: String) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(pem: pem))
    }

    /// Reads a DER SubjectPublicKeyInfo.
    package init(der: [UInt8]) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(der: der))
    }

    private init(_ file: KeyHandle) throws(CryptoFailure) {
        guard file.isType("ED25519") else { throw .invalidKey }
        try self.init(bytes: file.rawPublicKey())
    }

    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        signature.count == Self.signatureByteCount
            && handle.verifies(signature, for: message, .ed25519)
    }

    /// The key as a SubjectPublicKeyInfo PEM file.
    package func pem() throws(CryptoFailure) -> String { try handle.publicPEM() }
}

extension Ed25519PublicKey: Equatable {
    package static func == (left: Ed25519PublicKey, right: Ed25519PublicKey) -> Bool {
        left.bytes == right.bytes
    }
}

/// An Ed25519 private key (RFC 8032).
package struct Ed25519PrivateKey: Sendable {
    package let publicKey: Ed25519PublicKey
    /// The 32-byte private key of RFC 8032 section 5.1.5.
    package let seed: SecretBytes
    private let handle: KeyHandle

    package init(seed: SecretBytes) throws(CryptoFailure) {
        OpenSSL.start()
        guard seed.count == Ed25519PublicKey.byteCount else { throw .invalidKey }
        let key = seed.withUnsafeBytes { bytes in
            EVP_PKEY_new_raw_private_key_ex(
                nil, "ED25519", nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        let handle = try KeyHandle(owning: key)
        publicKey = try Ed25519PublicKey(derived: handle.rawPublicKey())
        self.seed = seed
        self.handle = handle
    }

    /// Reads an unencrypted PKCS#8 file (RFC 8410).
    package init(pem: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(pem: pem))
    }

    package init(der: SecretBytes) throws(CryptoFailure) {
        try self.init(KeyImport.privateKey(der: der))
    }

    init(_ file: KeyHandle) throws(CryptoFailure) {
        guard file.isType("ED25519") else { throw .invalidKey }
        try self.init(seed: file.rawPrivateKey())
    }

    package static func generate(
        random: RandomSource
    ) throws(CryptoFailure) -> Ed25519PrivateKey {
        try Ed25519PrivateKey(seed: random.secret(count: Ed25519PublicKey.byteCount))
    }

    package func sign(_ message: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        try handle.sign(message, .ed25519)
    }

    /// The key as a PKCS#8 PEM file.
    package func pem() throws(CryptoFailure) -> SecretBytes { try handle.privatePEM() }
}

extension KeyHandle {
    fileprivate func rawPublicKey() throws(CryptoFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
        var count = bytes.count
        try OpenSSL.check(EVP_PKEY_get_raw_public_key(pointer, &bytes, &count))
        guard count == bytes.count else { throw .invalidKey }
        return bytes
    }

    fileprivate func rawPrivateKey() throws(CryptoFailure) -> SecretBytes {
        var bytes = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
        var count = bytes.count
        try OpenSSL.check(EVP_PKEY_get_raw_private_key(pointer, &bytes, &count))
        guard count == bytes.count else { throw .invalidKey }
        return SecretBytes(bytes)
    }
}
