internal import Bytes
internal import Cryptography

/// The attestation certificate of a `packed` statement (WebAuthn section 8.2).
struct PackedCertificate {
    /// `id-fido-gen-ce-aaguid`
    private static let aaguidExtension = "1.3.6.1.4.1.45724.1.1.4"

    private let certificate: AttestationCertificate

    init(der: [UInt8]) throws(AttestationFailure) {
        do throws(CryptoFailure) {
            certificate = try AttestationCertificate(der: der)
        } catch {
            throw .badCertificate
        }
    }

    func verify(
        _ signature: [UInt8], algorithm: Int64, of message: [UInt8], aaguid: AAGUID
    ) throws(AttestationFailure) {
        guard let algorithm = COSEAlgorithm(rawValue: algorithm) else {
            throw .unsupportedAlgorithm
        }
        guard try isValid(signature, for: message, algorithm) else { throw .badSignature }
        // WebAuthn section 8.2.1.
        guard certificate.version == 3, certificate.isEndEntity,
            certificate.subject(.country)?.utf8.count == 2,
            certificate.subject(.organization)?.isEmpty == false,
            certificate.subject(.commonName)?.isEmpty == false,
            certificate.subject(.organizationalUnit)?.isSame(as: "Authenticator Attestation")
                == true
        else { throw .badCertificate }
        guard let named = certificate.extensionValue(Self.aaguidExtension) else { return }
        guard !named.isCritical else { throw .badCertificate }
        // The value is an OCTET STRING inside the OCTET STRING of the extension.
        guard named.value == [0x04, UInt8(AAGUID.byteCount)] + aaguid.bytes else {
            throw .wrongAAGUID
        }
    }

    /// Throws for a key that is not of the algorithm.
    private func isValid(
        _ signature: [UInt8], for message: [UInt8], _ algorithm: COSEAlgorithm
    ) throws(AttestationFailure) -> Bool {
        do throws(CryptoFailure) {
            let der = try certificate.publicKeyDER()
            switch algorithm {
            case .edDSA: return try Ed25519PublicKey(der: der).isValid(signature, for: message)
            case .es256: return try P256PublicKey(der: der).isValid(der: signature, for: message)
            case .es384, .es512:
                let key = try NISTCurvePublicKey(der: der)
                guard key.curve == (algorithm == .es384 ? .p384 : .p521) else {
                    throw CryptoFailure.invalidKey
                }
                return key.isValid(der: signature, for: message)
            case .rs256:
                return try RSAPublicKey(der: der).isValid(
                    signature, for: message, padding: .pkcs1)
            }
        } catch {
            throw .badCertificate
        }
    }
}
