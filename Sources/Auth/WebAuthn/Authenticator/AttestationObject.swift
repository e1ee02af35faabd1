package import CBOR

/// Why an attestation object was refused.
package enum AttestationObjectFailure: Error, Equatable, Sendable {
    case tooLarge
    case cbor(CBORFailure)
    /// The members are not exactly `fmt`, `attStmt` and `authData`, each with the right type.
    case malformed
    case authenticatorData(AuthenticatorDataFailure)
}

/// An attestation object (WebAuthn section 6.5.4), parsed but not verified.
package struct AttestationObject: Sendable {
    /// The largest objects in use contain a chain of certificates, and have about 8 KiB.
    package static let bytesMax = 32 << 10
    private static let limits = CBORLimits(bytesMax: bytesMax, depthMax: 8, itemsMax: 512)

    package let format: String
    package let statement: CBORMap
    package let authenticatorData: AuthenticatorData

    package init(parsing bytes: [UInt8]) throws(AttestationObjectFailure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        let item: CBOR
        do throws(CBORFailure) {
            item = try CBOR.parse(bytes, limits: Self.limits)
        } catch {
            throw .cbor(error)
        }
        guard let map = item.mapValue, map.count == 3,
            let format = map["fmt"]?.textValue, Self.isFormat(format),
            let statement = map["attStmt"]?.mapValue,
            let authenticatorData = map["authData"]?.bytesValue
        else { throw .malformed }
        self.format = format
        self.statement = statement
        do throws(AuthenticatorDataFailure) {
            self.authenticatorData = try AuthenticatorData(parsing: authenticatorData)
        } catch {
            throw .authenticatorData(error)
        }
    }
    /// The rules for identifiers of WebAuthn section 8.1. They also limit the length of log texts.
    private static func isFormat(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
