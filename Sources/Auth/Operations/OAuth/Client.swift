package import AuthDomain
internal import Bytes
internal import Cryptography
package import JOSE
package import Time

/// A third-party program to which users can grant access. On the pages it is called an application.
package struct Client: Sendable {
    package enum Authentication: String, CaseIterable, Sendable {
        /// A program that cannot keep a secret.
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case key = "private_key_jwt"
    }

    package enum GrantType: String, CaseIterable, Sendable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        case clientCredentials = "client_credentials"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

        /// Whether the grant type is only for clients that authenticate, and that the operator or
        /// an administrator has described, because no person is asked for consent.
        package var needsTrust: Bool { self == .clientCredentials || self == .tokenExchange }
    }

    package let id: String
    package var name: String
    package var authentication: Authentication
    /// The digest of the client's secret.
    package var secret: [UInt8]?
    /// The digest of the former secret, and until when it is valid.
    package var formerSecret: (digest: [UInt8], endsAt: Instant)?
    /// The client's public keys.
    package var keys: KeySet?
    /// The URL of the client's public keys, if the keys are not stored here.
    package var keysURL: String?
    package var redirectURIs: [RedirectURI]
    package var grantTypes: [GrantType]
    /// The scopes that the client may ask for; nil for all.
    package var scope: [String]?
    /// The resources that the client may ask for; nil for all.
    package var resources: [String]?
    /// Whether the operator runs the client, so that nobody is asked for consent.
    package var isFirstParty: Bool
    /// The resource whose tokens the client may introspect.
    package var introspects: String?
    package var idTokenAlgorithm: Algorithm
    /// Whether the client's tokens must be bound to a key (RFC 9449 section 5.2).
    package var requiresProof = false
    /// Whether the client pushes each of its requests (RFC 9126 section 6).
    package var pushesRequests = false
    /// Whether the client follows the FAPI 2.0 Security Profile, which is then enforced.
    package var isFAPI2 = false
    /// Where a browser may return after it has signed out.
    package var logoutRedirectURIs: [RedirectURI] = []
    /// The address to which notices of ended sessions are sent.
    package var logoutURI: String?
    /// Whether the client has described itself, without the operator or an administrator.
    package var isSelfRegistered = false
    /// When the client's registration expires, unless it is used before.
    package var keptUntil: Instant?
    /// The digest of the client's description of itself, which may change; nil for other clients.
    package var description: [UInt8]?

    /// Whether the client's description is the same as when something was decided about it.
    ///
    /// - Parameter former: the digest at that time; nil for other clients, and in rows from before
    ///   this was stored.
    func isDescribed(as former: [UInt8]?) -> Bool { former == nil || former == description }

    /// - Parameter digest: the digest of a secret.
    func hasSecret(_ digest: [UInt8], at now: Instant) -> Bool {
        let isCurrent = secret.map { constantTimeEquals(digest, $0) } ?? false
        let isFormer = formerSecret.map { former in
            constantTimeEquals(digest, former.digest) && now < former.endsAt
        }
        return isCurrent || isFormer ?? false
    }

    /// Whether the client authenticates, so that no other program can act in its name.
    package var isConfidential: Bool { authentication != .none }

    package func mayUse(_ type: GrantType) -> Bool {
        grantTypes.contains(type) && (!type.needsTrust || isConfidential && !isSelfRegistered)
    }

    /// Whether the person's earlier decision is valid without asking again: nobody else can have
    /// made the request, or receive its answer (OAuth 2.1 section 7.3).
    package func isRecognised(at redirectURI: String) -> Bool {
        isConfidential || (redirectURI.hasPrefix("https://") && !isSelfRegistered)
    }

    /// Whether a request may name this redirect URI.
    package func accepts(redirectURI: String) -> Bool {
        redirectURIs.contains { $0.accepts(redirectURI) }
    }

    /// Whether a sign-out may return to this address.
    package func accepts(logoutRedirectURI: String) -> Bool {
        logoutRedirectURIs.contains { $0.accepts(logoutRedirectURI) }
    }
}
