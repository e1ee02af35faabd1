/// The endpoints of an issuer, relative to its URL.
enum OpenIDEndpoint: Sendable, CaseIterable {
    case discovery, keys, authorize, decision, token, revoke, userInfo, tokenInfo
    /// Endpoints that real providers do not have.
    case mint, faults, notify, notifications, clients, accounts

    /// nil if that kind of provider has no such endpoint.
    func path(_ kind: IssuerDefinition.Kind) -> String? {
        switch self {
        case .discovery: "/.well-known/openid-configuration"
        case .keys: Self.choose(kind, "/auth/keys", "/oauth2/v3/certs", "/keys")
        case .authorize: Self.choose(kind, "/auth/authorize", "/o/oauth2/v2/auth", "/authorize")
        case .token: Self.choose(kind, "/auth/token", "/token", "/token")
        case .revoke: Self.choose(kind, "/auth/revoke", "/revoke", "/revoke")
        case .userInfo: Self.choose(kind, nil, "/v1/userinfo", "/userinfo")
        case .tokenInfo: Self.choose(kind, nil, "/tokeninfo", nil)
        case .notify: Self.choose(kind, "/notify", nil, nil)
        case .notifications: Self.choose(kind, "/notifications", nil, nil)
        case .decision: "/decision"
        case .mint: "/mint"
        case .faults: "/faults"
        case .clients: "/clients"
        case .accounts: "/accounts"
        }
    }

    private static func choose(
        _ kind: IssuerDefinition.Kind, _ apple: String?, _ google: String?, _ oidc: String?
    ) -> String? {
        switch kind {
        case .apple: apple
        case .google: google
        case .oidc: oidc
        }
    }

    /// Whether an ID may follow the path: `/clients/com.example.app`.
    var hasMembers: Bool {
        switch self {
        case .clients, .faults: true
        case .discovery, .keys, .authorize, .decision, .token, .revoke, .userInfo, .tokenInfo,
            .mint, .notify, .notifications, .accounts:
            false
        }
    }

    func methods(ofMember isMember: Bool) -> [String] {
        switch self {
        case .discovery, .keys, .notifications: ["GET", "HEAD"]
        case .authorize, .userInfo, .tokenInfo: ["GET", "HEAD", "POST"]
        case .decision, .token, .revoke, .mint, .notify: ["POST"]
        case .faults: isMember ? ["DELETE"] : ["GET", "HEAD", "PUT", "DELETE"]
        case .clients: isMember ? ["GET", "HEAD", "PUT", "DELETE"] : ["GET", "HEAD"]
        case .accounts: ["GET", "HEAD", "POST"]
        }
    }

    var isOfRealProviders: Bool {
        switch self {
        case .discovery, .keys, .authorize, .token, .revoke, .userInfo, .tokenInfo: true
        case .decision, .mint, .faults, .notify, .notifications, .clients, .accounts: false
        }
    }

    /// Whether the endpoint is for tests: it changes or reveals state that web pages must not
    /// access. `decision` is excluded, because the sign-in page submits its form there.
    var isControl: Bool { !isOfRealProviders && self != .decision }

    /// Whether scripts of any origin may read the response. Apple's clients all have a secret, so
    /// its tokens are for servers; other providers have public clients in browsers, too.
    func isOpenToAll(_ kind: IssuerDefinition.Kind) -> Bool {
        switch self {
        case .discovery, .keys, .userInfo: true
        case .token: kind != .apple
        case .authorize, .decision, .revoke, .tokenInfo, .mint, .faults, .notify,
            .notifications, .clients, .accounts:
            false
        }
    }
}
