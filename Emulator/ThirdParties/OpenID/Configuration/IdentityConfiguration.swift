internal import Bytes
internal import JOSE
package import JSON

/// The identity providers of one emulator.
package struct IdentityConfiguration: Sendable {
    package var issuers: [IssuerDefinition]

    package static let issuersMax = 32
    static let clientsMax = 256

    /// Apple and Google, each with one default client id.
    package static let standard = IdentityConfiguration(issuers: [.apple, .google])

    /// Whether all issuers share their signing keys, which must then be of one algorithm.
    package var sharesKeys = false

    package init(issuers: [IssuerDefinition]) { self.issuers = issuers }

    /// Reads JSON:
    ///
    ///     {"issuers": {
    ///         "apple": {"clients": [{"id": "com.example.app", "teamId": "TEAM123456",
    ///             "publicKeys": [{"keyId": "KEY1234567", "pem": "-----BEGIN PUBLIC KEY-----…"}],
    ///             "notificationURL": "http://127.0.0.1:8000/auth/apple/notifications"}]},
    ///         "acme": {"algorithm": "ES256", "acceptsUnknownClients": false,
    ///             "clients": [{"id": "acme-client", "secret": "s",
    ///                 "redirectURIs": ["http://127.0.0.1:3000/callback"]}]}}}
    ///
    /// Apple and Google always exist. An issuer of another name is an OpenID provider, unless
    /// `kind` is `apple` or `google`.
    package init(_ json: JSON) throws(DefinitionFailure) {
        let reader = try DefinitionReader(json, "configuration", members: ["issuers"])
        issuers = []
        for (name, value) in try reader.members("issuers")?.members ?? [] {
            issuers.append(try IssuerDefinition(name: name, value))
        }
        guard issuers.count <= Self.issuersMax else {
            throw DefinitionFailure("configuration: at most \(Self.issuersMax) issuers")
        }
        for usual in [IssuerDefinition.apple, .google]
        where !issuers.contains(where: { $0.name.isSame(as: usual.name) }) {
            issuers.append(usual)
        }
    }
}

extension IssuerDefinition {
    private static let members = [
        "kind", "issuer", "algorithm", "clients", "acceptsUnknownClients",
    ]

    fileprivate init(name: String, _ json: JSON) throws(DefinitionFailure) {
        guard Self.isName(name) else {
            throw DefinitionFailure(
                "issuer: a name must be 1 to 32 of a-z, 0-9 and -, beginning with a letter")
        }
        let reader = try DefinitionReader(json, "issuer \(name)", members: Self.members)
        let usual = Kind(rawValue: name) ?? .oidc
        let kind = try reader.text("kind").map { text throws(DefinitionFailure) in
            guard let kind = Kind.allCases.first(where: { $0.rawValue.isSame(as: text) }) else {
                throw DefinitionFailure("issuer \(name): kind must be apple, google or oidc")
            }
            return kind
        }
        let algorithm = try reader.text("algorithm").map { text throws(DefinitionFailure) in
            guard let algorithm = Algorithm(name: text), algorithm != .hs256 else {
                throw DefinitionFailure("issuer \(name): algorithm must be RS256, ES256 or EdDSA")
            }
            return algorithm
        }
        var clients: [ClientDefinition] = []
        for client in try reader.objects("clients", max: IdentityConfiguration.clientsMax) {
            clients.append(try ClientDefinition(client))
        }
        self.init(
            name: name, kind: kind ?? usual, issuer: try reader.text("issuer"),
            algorithm: algorithm ?? .rs256, clients: clients,
            acceptsUnknownClients: try reader.flag("acceptsUnknownClients") ?? true)
    }
}
