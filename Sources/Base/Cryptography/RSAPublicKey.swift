internal import Bytes

/// The padding of an RSA signature with SHA-256.
package enum RSAPadding: Sendable {
    /// RSASSA-PKCS1-v1_5, for RS256.
    case pkcs1
    /// RSASSA-PSS with MGF1 and a salt of 32 bytes, for PS256.
    case pss

    var scheme: SignatureScheme {
        switch self {
        case .pkcs1: .rsaPKCS1
        case .pss: .rsaPSS
        }
    }
}

/// An RSA public key.
///
/// These keys are refused: a modulus below 2048 bits (RFC 7518 section 3.3) or above 8192
/// (verification cost of an untrusted key); an exponent that is even, below 65537 (FIPS 186-5
/// section 5.1) or longer than four bytes; numbers with leading zeros (RFC 7518 section 2:
/// otherwise one key would have several thumbprints); and moduli affected by CVE-2017-15361.
package struct RSAPublicKey: Sendable {
    package static let modulusBits = 2048...8192

    /// The modulus, big-endian, without leading zeros.
    package let modulus: [UInt8]
    package let exponent: [UInt8]
    private let verifier: RSAVerifier

    package init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoFailure) {
        guard let first = modulus.first, let last = modulus.last, first != 0, last & 1 == 1,
            Self.modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
            Self.isAcceptable(exponent: exponent), !hasROCAFingerprint(modulus)
        else { throw .invalidKey }
        self.modulus = modulus
        self.exponent = exponent
        verifier = try RSAVerifier(modulus: modulus, exponent: exponent)
    }

    package init(pem: String) throws(CryptoFailure) { try self.init(KeyImport.publicKey(pem: pem)) }

    /// Reads a DER SubjectPublicKeyInfo.
    package init(der: [UInt8]) throws(CryptoFailure) {
        try self.init(KeyImport.publicKey(der: der))
    }

    private init(_ file: KeyHandle) throws(CryptoFailure) {
        guard file.isType("RSA") else { throw .invalidKey }
        try self.init(
            modulus: file.number("n").reveal(), exponent: file.number("e").reveal())
    }

    package func isValid(
        _ signature: [UInt8], for message: [UInt8], padding: RSAPadding
    ) -> Bool {
        // RFC 8017 section 8.2.2 step 1: the signature is as long as the modulus.
        signature.count == modulus.count
            && verifier.verifies(signature, for: message, padding)
    }

    /// The key as a SubjectPublicKeyInfo PEM file.
    package func pem() throws(CryptoFailure) -> String {
        try KeyHandle.assemble(
            "RSA", .publicKey,
            [.number("n", SecretBytes(modulus)), .number("e", SecretBytes(exponent))]
        ).publicPEM()
    }

    private static func isAcceptable(exponent: [UInt8]) -> Bool {
        guard let first = exponent.first, first != 0, exponent.count <= 4 else { return false }
        let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value >= 65537 && value & 1 == 1
    }
}

extension RSAPublicKey: Equatable {
    package static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
        left.modulus == right.modulus && left.exponent == right.exponent
    }
}
