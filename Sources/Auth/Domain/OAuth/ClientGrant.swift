/// A user's grant to a third-party client. The grant belongs to a session of its own, from which
/// the client's tokens descend. This session is kept apart from the sessions of the user's devices.
package struct ClientGrant: Equatable, Sendable {
    package let client: String
    /// The scopes, in the order in which they were granted.
    package let scope: [String]
    /// The servers that its access tokens may be for, as the client has named them.
    package let resources: [String]
    /// The session of the browser in which the user decided.
    package let browser: SessionID
    /// Whether the grant remains when the browser's session ends (`offline_access`).
    package let isOffline: Bool
    /// Whether the client gets refresh tokens.
    package let refreshes: Bool
    package let claims: AskedClaims
    /// The client's epoch when the user decided. The grant is void if the client has a later one.
    package let clientEpoch: Int64

    package init(
        client: String, scope: [String], resources: [String], browser: SessionID, isOffline: Bool,
        refreshes: Bool, claims: AskedClaims = .none, clientEpoch: Int64
    ) {
        self.client = client
        self.scope = scope
        self.resources = resources
        self.browser = browser
        self.isOffline = isOffline
        self.refreshes = refreshes
        self.claims = claims
        self.clientEpoch = clientEpoch
    }
}

/// The scopes of OpenID Connect Core sections 5.4 and 11.
package enum StandardScope: String, CaseIterable, Sendable {
    case openid, profile, email
    case offlineAccess = "offline_access"

    package static func isOne(_ word: String) -> Bool { StandardScope(rawValue: word) != nil }
}
