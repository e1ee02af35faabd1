internal import Bytes
internal import Cryptography
internal import JSON

/// Why client data was refused.
package enum ClientDataFailure: Error, Equatable, Sendable {
    case tooLarge
    /// The data is not strict JSON, or a member is missing or of the wrong type.
    case malformed
    case wrongType
    case wrongChallenge
    case wrongOrigin
    /// The ceremony was in a frame of another site, which is not allowed.
    case crossOrigin
    /// The ceremony was in a frame of a page that is not allowed or not stated.
    case wrongTopOrigin
}

/// Client data (WebAuthn section 5.8.1): the browser's statements about the ceremony, parsed but
/// not verified.
package struct ClientData: Sendable {
    package static let bytesMax = 8 << 10
    private static let limits = JSONLimits(bytesMax: bytesMax, depthMax: 16, membersMax: 64)

    package enum Ceremony: String, Sendable {
        case registration = "webauthn.create"
        case authentication = "webauthn.get"
    }

    let type: String
    let challenge: String
    let origin: String
    let isCrossOrigin: Bool
    let topOrigin: String?
    /// The SHA-256 of the received bytes. This hash is signed.
    let hash: [UInt8]

    /// Members that are not known are ignored, in any order (WebAuthn section 5.8.1). A duplicate
    /// name is refused, because two parsers may disagree about it.
    package init(parsing bytes: [UInt8]) throws(ClientDataFailure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        // "UTF-8 decode" of WebAuthn sections 7.1 and 7.2 strips one byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        guard let object = (try? JSON.parse(text, limits: Self.limits))?.objectValue,
            let type = object["type"]?.stringValue,
            let challenge = object["challenge"]?.stringValue,
            let origin = object["origin"]?.stringValue
        else { throw .malformed }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        if let member = object["crossOrigin"] {
            guard let value = member.boolValue else { throw .malformed }
            isCrossOrigin = value
        } else {
            isCrossOrigin = false
        }
        if let member = object["topOrigin"] {
            guard let value = member.stringValue else { throw .malformed }
            topOrigin = value
        } else {
            topOrigin = nil
        }
        hash = SHA256.hash(bytes)
    }

    /// The browser's statement of its origin. It is not verified, and only for the log.
    package static func origin(in bytes: [UInt8]) -> String? {
        (try? ClientData(parsing: bytes))?.origin
    }

    /// The steps of WebAuthn sections 7.1 and 7.2 about client data.
    func verify(
        _ ceremony: Ceremony, _ challenge: Challenge, _ relyingParty: RelyingParty
    ) throws(ClientDataFailure) {
        guard type.isSame(as: ceremony.rawValue) else { throw .wrongType }
        // The encoding is canonical, so equal challenges always have equal texts.
        guard constantTimeEquals(Array(self.challenge.utf8), Array(challenge.text.utf8)) else {
            throw .wrongChallenge
        }
        guard relyingParty.origins.contains(origin) else { throw .wrongOrigin }
        guard isCrossOrigin || topOrigin != nil else { return }
        switch relyingParty.embedding {
        case .refused: throw .crossOrigin
        case .allowed(let topOrigins, let acceptsUnnamed):
            guard let topOrigin else {
                guard acceptsUnnamed else { throw .wrongTopOrigin }
                return
            }
            guard topOrigins.contains(topOrigin) else { throw .wrongTopOrigin }
        }
    }
}
