package import Time

/// What a sign-in with an identity token asks of the token.
package struct IdentityPolicy: Equatable, Sendable {
    package var nonce: NonceRule
    /// Whether a sign-in without a nonce is refused.
    package var requiresNonce: Bool
    /// How old an identity token may be: Apple's are valid for 24 hours.
    package var tokenAgeMax: Span
    package var challengeLifetime: Span

    package init(
        nonce: NonceRule, requiresNonce: Bool = false, tokenAgeMax: Span = .minutes(10),
        challengeLifetime: Span = .minutes(10)
    ) {
        self.nonce = nonce
        self.requiresNonce = requiresNonce
        self.tokenAgeMax = tokenAgeMax
        self.challengeLifetime = challengeLifetime
    }
}

/// Where the nonce of an identity token comes from.
package enum NonceRule: Equatable, Sendable {
    /// The contract has no nonce; one inside the token is not looked at.
    case none
    /// The client chose it. When the request repeats it, the token must have the same one.
    case chosenByClient
    /// The operation `challenge` issued it, and sign-in consumes it. A token with a nonce is
    /// refused when the request has none.
    case issued
}

/// What an account has in a contract.
package struct AccountPolicy: Equatable, Sendable {
    /// An integer for clients, beside the UUID that is used inside.
    package var hasPublicID: Bool
    /// Whether a verified e-mail address belongs to one account at most. A second account with the
    /// address is made without claiming it: an address never finds or links an account.
    package var claimsEmail: Bool

    /// Whether administrators can list accounts and find them by their address.
    package var isListed: Bool

    package init(hasPublicID: Bool = false, claimsEmail: Bool = false, isListed: Bool = false) {
        self.hasPublicID = hasPublicID
        self.claimsEmail = claimsEmail
        self.isListed = isListed
    }
}
