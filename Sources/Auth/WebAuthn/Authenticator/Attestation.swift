internal import Bytes
internal import CBOR
internal import Cryptography

/// Why an attestation statement was refused.
package enum AttestationFailure: Error, Equatable, Sendable {
    /// A member is missing or of the wrong type, or the format `none` has a statement.
    case malformed
    /// Self attestation with another algorithm than the credential's.
    case wrongAlgorithm
    case unsupportedAlgorithm
    case badSignature
    /// The certificate does not meet WebAuthn section 8.2.1.
    case badCertificate
    /// The certificate is for another AAGUID.
    case wrongAAGUID
}

/// The format of an attestation statement of a new credential. None of the cases proves which
/// authenticator made the credential: that would need trusted roots, and the server requests no
/// attestation.
package enum Attestation: Equatable, Sendable {
    case none
    /// The credential itself has signed the attestation, which proves possession of the private
    /// key.
    case selfSigned
    /// A statement that is not trusted: it has a certificate that any software could have created,
    /// or a format that is not verified. Some clients send a statement although `none` was
    /// requested.
    case ignored(format: String)
}

extension AttestationObject {
    /// Verifies the statement as far as it can be without trusted roots.
    ///
    /// `packed` is verified in both of its forms: the signature, and for a certificate the
    /// requirements on it. The certificate chain is not verified, and a certificate never counts as
    /// trusted: a chain with its own root proves nothing. The other formats are ignored.
    func attestation(clientDataHash: [UInt8]) throws(AttestationFailure) -> Attestation {
        if format.isSame(as: "none") {
            guard statement.isEmpty else { throw .malformed }
            return .none
        }
        guard format.isSame(as: "packed") else { return .ignored(format: format) }
        guard let credential = authenticatorData.attestedCredential,
            let algorithm = statement["alg"]?.int64Value,
            let signature = statement["sig"]?.bytesValue
        else { throw .malformed }
        let message = authenticatorData.bytes + clientDataHash
        guard let chain = statement["x5c"] else {
            // Self attestation.
            guard statement.count == 2 else { throw .malformed }
            guard algorithm == credential.publicKey.algorithm.rawValue else {
                throw .wrongAlgorithm
            }
            guard credential.publicKey.isValid(signature, for: message) else {
                throw .badSignature
            }
            return .selfSigned
        }
        guard statement.count == 3, let chain = chain.arrayValue,
            let leaf = chain.first?.bytesValue,
            chain.allSatisfy({ $0.bytesValue != nil })
        else { throw .malformed }
        try PackedCertificate(der: leaf).verify(
            signature, algorithm: algorithm, of: message, aaguid: credential.aaguid)
        return .ignored(format: format)
    }
}
