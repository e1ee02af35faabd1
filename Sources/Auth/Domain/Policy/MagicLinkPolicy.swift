package import Time

/// Signing in by a mailed link. A contract without this policy has none.
package struct MagicLinkPolicy: Equatable, Sendable {
    package var lifetime: Span
    /// Whether a link is also mailed to an address without an account, and creates one when it is
    /// used.
    package var createsAccounts: Bool
    /// Whether a link is valid only with the secret that its requester received (ASVS 5.0, 6.6.2).
    /// Without the secret, an attacker could make an app sign in to another account with a link
    /// requested elsewhere.
    package var needsRequestSecret: Bool

    package init(
        lifetime: Span = .minutes(15), createsAccounts: Bool, needsRequestSecret: Bool
    ) {
        self.lifetime = lifetime
        self.createsAccounts = createsAccounts
        self.needsRequestSecret = needsRequestSecret
    }
}
