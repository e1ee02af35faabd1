internal import Bytes
package import JOSE

/// One identity provider, emulated at `/_idp/<name>`.
package struct IssuerDefinition: Sendable {
    /// The provider whose behaviour is emulated.
    package enum Kind: String, Sendable, CaseIterable { case apple, google, oidc }

    /// `[a-z][a-z0-9-]{0,31}`
    package let name: String
    package let kind: Kind
    /// The `iss` of its tokens if that differs from its URL, such as `https://accounts.google.com`.
    package let issuer: String?
    /// Apple and Google sign with RS256.
    package let algorithm: Algorithm
    /// The first is the default audience of minted tokens.
    package let clients: [ClientDefinition]
    /// Whether unregistered client ids are accepted, with any redirect URI and secret.
    package let acceptsUnknownClients: Bool

    package init(
        name: String, kind: Kind, issuer: String? = nil, algorithm: Algorithm = .rs256,
        clients: [ClientDefinition] = [], acceptsUnknownClients: Bool = true
    ) {
        self.name = name
        self.kind = kind
        self.issuer = issuer
        self.algorithm = kind == .oidc ? algorithm : .rs256
        self.clients = clients
        self.acceptsUnknownClients = acceptsUnknownClients
    }

    package static let apple = IssuerDefinition(
        name: "apple", kind: .apple, clients: [ClientDefinition(id: "com.example.app")])
    package static let google = IssuerDefinition(
        name: "google", kind: .google,
        clients: [ClientDefinition(id: "client.apps.googleusercontent.com")])

    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 32 else { return false }
        return first.isLowercase
            && text.utf8.allSatisfy {
                $0.isLowercase || $0.isDigit || $0 == 0x2D
            }
    }
}
