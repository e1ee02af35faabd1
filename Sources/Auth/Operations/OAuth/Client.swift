package import AuthDomain
internal import Bytes
internal import Cryptography
package import JOSE
package import Time

/// A program of another party to which users can grant access: people know it as an application.
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

        /// Whether only a client that proves itself, and that the operator or an administrator has
        /// described, may have it: no person is asked about what it gives.
        package var needsTrust: Bool { self == .clientCredentials || self == .tokenExchange }
    }

    package let id: String
    package var name: String
    package var authentication: Authentication
    /// Its digest.
    package var secret: [UInt8]?
    /// The digest of the one before, and until when that is valid.
    package var formerSecret: (digest: [UInt8], endsAt: Instant)?
    /// Its public keys.
    package var keys: KeySet?
    /// Where its public keys are, if not here.
    package var keysURL: String?
    package var redirectURIs: [RedirectURI]
    package var grantTypes: [GrantType]
    /// nil: it may ask for every word.
    package var scope: [String]?
    /// nil: it may ask for every resource.
    package var resources: [String]?
    /// Whether it is the operator's own, about which nobody is asked.
    package var isFirstParty: Bool
    /// The resource whose tokens it may ask about.
    package var introspects: String?
    package var idTokenAlgorithm: Algorithm
    /// Whether its tokens must be bound to a key (RFC 9449 section 5.2).
    package var requiresProof = false
    /// Whether it pushes each of its requests (RFC 9126 section 6).
    package var pushesRequests = false
    /// Whether it keeps to the FAPI 2.0 Security Profile, and is kept to it.
    package var isFAPI2 = false
    /// Where a browser may return after it has signed out.
    package var logoutRedirectURIs: [RedirectURI] = []
    /// Where it is told of the ends of sessions.
    package var logoutURI: String?
    /// Whether nobody but itself has described it.
    package var isSelfRegistered = false
    /// When its registration is forgotten, unless it is used.
    package var keptUntil: Instant?
    /// The digest of what it says of itself, which it may change; nil for other clients.
    package var description: [UInt8]?

    /// Whether it still says of itself what it said when something was decided about it.
    ///
    /// - Parameter former: nil for other clients, and in rows of before this was kept.
    func isDescribed(as former: [UInt8]?) -> Bool { former == nil || former == description }

    /// - Parameter digest: of a secret.
    func hasSecret(_ digest: [UInt8], at now: Instant) -> Bool {
        let isCurrent = secret.map { constantTimeEquals(digest, $0) } ?? false
        let isFormer = formerSecret.map { former in
            constantTimeEquals(digest, former.digest) && now < former.endsAt
        }
        return isCurrent || isFormer ?? false
    }

    /// Whether it proves who it is, so that no other program can act in its name.
    package var isConfidential: Bool { authentication != .none }

    package func mayUse(_ type: GrantType) -> Bool {
        grantTypes.contains(type) && (!type.needsTrust || isConfidential && !isSelfRegistered)
    }

    /// Whether a person who has decided before need not be asked again: nobody else can have made
    /// the request, or have its answer (OAuth 2.1 section 7.3).
    package func isRecognised(at redirectURI: String) -> Bool {
        isConfidential || (redirectURI.hasPrefix("https://") && !isSelfRegistered)
    }

    /// The registered address that a request names; nil if there is none.
    package func accepts(redirectURI: String) -> Bool {
        redirectURIs.contains { $0.accepts(redirectURI) }
    }

    /// The same, for an address after a sign-out.
    package func accepts(logoutRedirectURI: String) -> Bool {
        logoutRedirectURIs.contains { $0.accepts(logoutRedirectURI) }
    }
}
