internal import Bytes
package import JSON

/// The response to creation options, `RegistrationResponseJSON` of WebAuthn section 5.1: decoded
/// but not verified.
package struct RegistrationResponse: Sendable, Equatable {
    package static let transportsMax = 16
    package static let transportBytesMax = 32

    package let id: CredentialID
    package let clientDataJSON: [UInt8]
    package let attestationObject: [UInt8]
    package let transports: [String]
    /// `clientExtensionResults.credProps.rk`
    package let isDiscoverable: Bool?

    package init(
        id: CredentialID, clientDataJSON: [UInt8], attestationObject: [UInt8],
        transports: [String] = [], isDiscoverable: Bool? = nil
    ) {
        self.id = id
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.isDiscoverable = isDiscoverable
    }

    /// The members that repeat parts of the attestation object (`authenticatorData`, `publicKey`,
    /// `publicKeyAlgorithm`) are ignored: they are not signed.
    package init(parsing json: JSON) throws(ResponseFailure) {
        let members = try ResponseMembers(json)
        id = members.id
        clientDataJSON = try members.bytes(
            "clientDataJSON", .clientDataJSON, countMax: ClientData.bytesMax)
        attestationObject = try members.bytes(
            "attestationObject", .attestationObject, countMax: AttestationObject.bytesMax)
        transports = try Self.transports(members.response["transports"])
        isDiscoverable = members.extensionResults?["credProps"]?["rk"]?.boolValue
    }

    /// Unknown transports are kept (WebAuthn section 5.8.4); older clients send none.
    private static func transports(_ json: JSON?) throws(ResponseFailure) -> [String] {
        guard let json, !json.isNull else { return [] }
        guard let elements = json.arrayValue else { throw .malformed(.transports) }
        guard elements.count <= transportsMax else { throw .tooLong(.transports) }
        var transports: [String] = []
        for element in elements {
            guard let text = element.stringValue, !text.isEmpty,
                text.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == 0x2D || $0 == 0x5F })
            else { throw .malformed(.transports) }
            guard text.utf8.count <= transportBytesMax else { throw .tooLong(.transports) }
            if !transports.contains(where: text.isSame) { transports.append(text) }
        }
        return transports
    }
}
