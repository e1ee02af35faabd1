package import Time

/// The session behind temporary credentials. It is encrypted in the session token, so that nothing
/// is stored and credentials survive a restart of the emulator.
package struct IAMSession: Sendable, Equatable {
    package var issuedAt: Instant
    package var expiresAt: Instant
    /// nil for `GetSessionToken`, whose sessions belong to the user.
    package var role: RoleSession?
    /// The long-term key with which the session was requested, if any.
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
    /// Session policies as JSON; permissions are the intersection of the role's policies and these.
    package var policies: [String] = []
    package var policyARNs: [String] = []
    package var tags: [SessionTag] = []
    package var transitiveTagKeys: [String] = []
    package var sourceIdentity: String?
    /// The identity provider of a web identity.
    package var provider: String?
    /// Additional condition keys of the session: `accounts.google.com:sub`.
    package var keys: [SessionTag] = []

    package init(roleARN: String, name: String) {
        self.roleARN = roleARN
        self.name = name
    }
}
