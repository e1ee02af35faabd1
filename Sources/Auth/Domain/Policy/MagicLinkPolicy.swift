package import Time

/// Signing in by a mailed link. A contract without this policy has none.
package struct MagicLinkPolicy: Equatable, Sendable {
    package var lifetime: Span
    /// Whether a link is mailed to an address without an account, and makes one when it is used.
    package var createsAccounts: Bool
    /// Whether a link is good only together with the secret that its requester was given, as ASVS
    /// 5.0 6.6.2 asks for. Without it, an app can be made to sign in by a link that was requested
    /// elsewhere, for another account.
    package var needsRequestSecret: Bool

    package init(
        lifetime: Span = .minutes(15), createsAccounts: Bool, needsRequestSecret: Bool
    ) {
        self.lifetime = lifetime
        self.createsAccounts = createsAccounts
        self.needsRequestSecret = needsRequestSecret
    }
}
