internal import Bytes
internal import COpenSSL

/// Reads key files: PKCS#8, PKCS#1 and SEC1 for private keys, SubjectPublicKeyInfo for public keys.
///
/// Only the numbers are extracted here. `RSAPublicKey` and the other key types validate them and
/// build the key, so that the same checks apply to every key.
enum KeyImport {
    static let fileBytesMax = 1 << 16

    static func privateKey(pem: SecretBytes) throws(CryptoFailure) -> KeyHandle {
        try read(pem) { file in
            // For an encrypted file, OpenSSL would ask for a passphrase on the terminal. This makes
            // it fail instead.
            PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    static func publicKey(pem: String) throws(CryptoFailure) -> KeyHandle {
        try read(SecretBytes(utf8: pem)) { file in
            PEM_read_bio_PUBKEY(file, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    static func privateKey(der: SecretBytes) throws(CryptoFailure) -> KeyHandle {
        try readWhole(der) { start, count in d2i_AutoPrivateKey(nil, start, count) }
    }

    static func publicKey(der: [UInt8]) throws(CryptoFailure) -> KeyHandle {
        try readWhole(SecretBytes(der)) { start, count in d2i_PUBKEY(nil, start, count) }
    }

    private static func read(
        _ text: SecretBytes, _ reader: (OpaquePointer) -> OpaquePointer?
    ) throws(CryptoFailure) -> KeyHandle {
        OpenSSL.start()
        guard text.count <= fileBytesMax else { throw .limitExceeded }
        let key: OpaquePointer? = text.withUnsafeBytes { bytes in
            guard let file = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { BIO_free_all(file) }
            return reader(file)
        }
        return try KeyHandle(owning: key)
    }

    /// Trailing bytes are refused, or one key could be encoded as many different files.
    private static func readWhole(
        _ der: SecretBytes,
        _ reader: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) throws(CryptoFailure) -> KeyHandle {
        OpenSSL.start()
        guard der.count <= fileBytesMax else { throw .limitExceeded }
        let (key, consumed): (OpaquePointer?, Int) = der.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            var position = start
            let key = reader(&position, bytes.count)
            guard let start, let position else { return (key, 0) }
            return (key, position - start)
        }
        let handle = try KeyHandle(owning: key)
        guard consumed == der.count else { throw .invalidKey }
        return handle
    }
}

extension KeyHandle {
    /// The private key as an unencrypted PKCS#8 PEM file.
    func privatePEM() throws(CryptoFailure) -> SecretBytes {
        SecretBytes(
            try text { file in
                PEM_write_bio_PKCS8PrivateKey(file, pointer, nil, nil, 0, nil, nil)
            })
    }

    /// The public key as a SubjectPublicKeyInfo PEM file.
    func publicPEM() throws(CryptoFailure) -> String {
        String(
            decoding: try text { file in PEM_write_bio_PUBKEY(file, pointer) }, as: UTF8.self)
    }

    private func text(_ writer: (OpaquePointer) -> Int32) throws(CryptoFailure) -> [UInt8] {
        // A memory BIO that is wiped when freed.
        let file = try OpenSSL.check(BIO_new(BIO_s_secmem()))
        defer { BIO_free_all(file) }
        try OpenSSL.check(writer(file))
        var text = [UInt8](repeating: 0, count: BIO_ctrl_pending(file))
        guard BIO_read(file, &text, Int32(text.count)) == Int32(text.count) else {
            throw .libraryFailure
        }
        return text
    }
}
