internal import Bytes
internal import JSON

/// A member of a response, by its path.
package enum ResponseMember: String, Sendable {
    case response = "response"
    case type = "type"
    case id = "id"
    case rawID = "rawId"
    case clientDataJSON = "response.clientDataJSON"
    case attestationObject = "response.attestationObject"
    case authenticatorData = "response.authenticatorData"
    case signature = "response.signature"
    case userHandle = "response.userHandle"
    case transports = "response.transports"
    case extensionResults = "clientExtensionResults"
}

/// Why a response was refused before anything was verified: it does not have the form of WebAuthn
/// section 5.1 (`RegistrationResponseJSON`, `AuthenticationResponseJSON`).
package enum ResponseFailure: Error, Equatable, Sendable {
    case missing(ResponseMember)
    /// The member has the wrong type, or is not canonical base64url.
    case malformed(ResponseMember)
    case tooLong(ResponseMember)
    /// `id` and `rawId` differ.
    case differentIDs
    /// The type is not `public-key`.
    case unsupportedType
}

/// The members that both responses have. Others are ignored, now and in future levels.
struct ResponseMembers {
    let id: CredentialID
    let response: JSONObject
    let extensionResults: JSONObject?

    init(_ json: JSON) throws(ResponseFailure) {
        guard let object = json.objectValue else { throw .malformed(.response) }
        guard let type = object["type"] else { throw .missing(.type) }
        guard let type = type.stringValue else { throw .malformed(.type) }
        guard type.isSame(as: "public-key") else { throw .unsupportedType }
        id = try Self.credentialID(object, .id)
        guard try Self.credentialID(object, .rawID) == id else { throw .differentIDs }
        guard let response = object["response"] else { throw .missing(.response) }
        guard let response = response.objectValue else { throw .malformed(.response) }
        self.response = response
        switch object[ResponseMember.extensionResults.rawValue] {
        case nil, .null: extensionResults = nil
        case .object(let results): extensionResults = results
        case .bool, .number, .string, .array: throw .malformed(.extensionResults)
        }
    }

    private static func credentialID(
        _ object: JSONObject, _ member: ResponseMember
    ) throws(ResponseFailure) -> CredentialID {
        let bytes = try bytes(
            object[member.rawValue], member, countMax: CredentialID.byteCounts.upperBound)
        guard let id = CredentialID(bytes) else { throw .malformed(member) }
        return id
    }

    /// A required member of `response`.
    func bytes(
        _ name: String, _ member: ResponseMember, countMax: Int
    ) throws(ResponseFailure) -> [UInt8] {
        try Self.bytes(response[name], member, countMax: countMax)
    }

    /// The length is checked before decoding.
    private static func bytes(
        _ json: JSON?, _ member: ResponseMember, countMax: Int
    ) throws(ResponseFailure) -> [UInt8] {
        guard let json else { throw .missing(member) }
        guard let text = json.stringValue else { throw .malformed(member) }
        guard text.utf8.count <= (countMax * 4 + 2) / 3 else { throw .tooLong(member) }
        guard let bytes = Base64URL.decode(text) else { throw .malformed(member) }
        return bytes
    }
}
