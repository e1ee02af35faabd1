package import Time

/// The deletion of accounts by their owners.
package struct DeletionPolicy: Equatable, Sendable {
    /// Whether only a recently opened session may delete its account
    /// (`SessionPolicy.recentSignIn`), so that a stolen access token does not suffice.
    package var requiresRecentSignIn: Bool
    /// How long the row of a deleted account is kept, without personal data.
    package var retention: Span

    package init(requiresRecentSignIn: Bool = true, retention: Span = .days(30)) {
        self.requiresRecentSignIn = requiresRecentSignIn
        self.retention = retention
    }
}
