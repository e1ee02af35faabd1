package import Time

/// What temporary credentials stand for. It travels sealed in the session token, so that nothing
/// has to be stored: credentials survive a restart of the emulator.
package struct IAMSession: Sendable, Equatable {
    package var issuedAt: Instant
    package var expiresAt: Instant
    /// nil for `GetSessionToken`, whose sessions are their user's.
    package var role: RoleSession?
    /// Of the long-term key that asked, where one did.
    package var ownerAccessKeyID: String?

    package init(
        issuedAt: Instant, expiresAt: Instant, role: RoleSession? = nil,
        ownerAccessKeyID: String? = nil
    ) {
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.role = role
        self.ownerAccessKeyID = ownerAccessKeyID
    }
}

package struct RoleSession: Sendable, Equatable {
    package var roleARN: String
    package var name: String
    /// JSON texts, as given; the session has the intersection of the role's policies and these.
    package var policies: [String] = []
    package var policyARNs: [String] = []
    package var tags: [SessionTag] = []
    package var transitiveTagKeys: [String] = []
    package var sourceIdentity: String?
    /// For a web identity: who vouched.
    package var provider: String?
    /// Further condition keys of the session: `accounts.google.com:sub`.
    package var keys: [SessionTag] = []

    package init(roleARN: String, name: String) {
        self.roleARN = roleARN
        self.name = name
    }
}
