internal import Bytes
internal import Cryptography
package import JOSE
internal import JSON

/// An app registered with an issuer. Omitted settings are not checked.
package struct ClientDefinition: Sendable {
    package let id: String
    /// The accepted redirect URIs; if empty, any is accepted.
    package var redirectURIs: [String]
    /// The secret of a Google or OpenID client; nil accepts any.
    package var secret: String?
    /// The developer's team ID at Apple, which owns `keys`.
    package var teamID: String?
    /// Apple: the public keys that verify client secrets, by key ID.
    package var keys: [VerificationKey]
    /// Apple: the URL for notifications.
    package var notificationURL: String?

    static let idBytesMax = 255
    static let uriBytesMax = 2048
    static let redirectURIsMax = 64
    static let keysMax = 8

    package init(
        id: String, redirectURIs: [String] = [], secret: String? = nil, teamID: String? = nil,
        keys: [VerificationKey] = [], notificationURL: String? = nil
    ) {
        self.id = id
        self.redirectURIs = redirectURIs
        self.secret = secret
        self.teamID = teamID
        self.keys = keys
        self.notificationURL = notificationURL
    }

    func allows(redirectURI: String) -> Bool {
        redirectURIs.isEmpty || redirectURIs.contains { $0.isSame(as: redirectURI) }
    }

    static func isID(_ text: String) -> Bool {
        (1...idBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
    }
}

extension ClientDefinition {
    private static let members = [
        "id", "redirectURIs", "secret", "teamId", "publicKeys", "notificationURL",
    ]

    /// Reads the configuration, or `PUT {issuer}/clients/<id>` with the ID of the path.
    init(_ json: JSON, id: String? = nil) throws(DefinitionFailure) {
        let reader = try DefinitionReader(json, "client", members: Self.members)
        let own = try reader.text("id")
        guard let id = id ?? own, own == nil || own?.isSame(as: id) == true else {
            throw DefinitionFailure("client: id is missing, or does not match the path")
        }
        guard Self.isID(id) else {
            throw DefinitionFailure(
                "client: id must be 1 to 255 visible ASCII characters other than /")
        }
        self.init(id: id)
        redirectURIs = try reader.texts("redirectURIs", max: Self.redirectURIsMax)
        guard redirectURIs.allSatisfy(RedirectURI.isAcceptable) else {
            throw DefinitionFailure("client: redirectURIs must be absolute URIs without a fragment")
        }
        secret = try reader.text("secret")
        teamID = try reader.text("teamId")
        for key in try reader.objects("publicKeys", max: Self.keysMax) {
            keys.append(try Self.publicKey(key))
        }
        notificationURL = try reader.text("notificationURL")
        guard notificationURL.map(RedirectURI.isHTTP) ?? true else {
            throw DefinitionFailure("client: notificationURL must be an http or https URL")
        }
    }

    /// `{"keyId": "ABC123DEFG", "pem": "-----BEGIN PUBLIC KEY-----…"}`, or `"jwk": {…}`.
    private static func publicKey(_ json: JSON) throws(DefinitionFailure) -> VerificationKey {
        let reader = try DefinitionReader(json, "public key", members: ["keyId", "pem", "jwk"])
        guard let name = try reader.text("keyId") else {
            throw DefinitionFailure("public key: keyId is missing")
        }
        var jwk: JSONObject
        if let pem = try reader.text("pem") {
            guard let key = try? P256PublicKey(pem: pem) else {
                throw DefinitionFailure("public key: pem is not a P-256 public key")
            }
            jwk = [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(key.x)),
                "y": .string(Base64URL.encode(key.y)),
            ]
        } else if let object = json["jwk"]?.objectValue {
            jwk = object
        } else {
            throw DefinitionFailure("public key: give pem or jwk")
        }
        jwk["kid"] = .string(name)
        guard let key = try? VerificationKey(jwk: jwk), key.algorithm == .es256 else {
            throw DefinitionFailure("public key: jwk is not a P-256 public key")
        }
        return key
    }

    /// The JSON that `init(_:)` parses.
    var json: JSON {
        var object: JSONObject = ["id": .string(id)]
        if !redirectURIs.isEmpty { object["redirectURIs"] = .array(redirectURIs.map(JSON.string)) }
        if let secret { object["secret"] = .string(secret) }
        if let teamID { object["teamId"] = .string(teamID) }
        let published: [JSON] = keys.compactMap { key in
            guard let jwk = key.publicJWK, let kid = key.kid else { return nil }
            return ["keyId": .string(kid), "jwk": .object(jwk)]
        }
        if !published.isEmpty { object["publicKeys"] = .array(published) }
        if let notificationURL { object["notificationURL"] = .string(notificationURL) }
        return .object(object)
    }
}
