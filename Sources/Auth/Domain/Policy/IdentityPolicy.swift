package import Time

/// Requirements for identity tokens at sign-in.
package struct IdentityPolicy: Equatable, Sendable {
    package var nonce: NonceRule
    /// Whether a sign-in without a nonce is refused.
    package var requiresNonce: Bool
    /// The maximum age of an identity token: Apple's are valid for 24 hours.
    package var tokenAgeMax: Span
    package var challengeLifetime: Span
    /// Whether authorization codes are exchanged for tokens of the provider, which housekeeping
    /// revokes when the identity is removed or the account deleted.
    package var keepsTokens: Bool

    package init(
        nonce: NonceRule, requiresNonce: Bool = false, tokenAgeMax: Span = .minutes(10),
        challengeLifetime: Span = .minutes(10), keepsTokens: Bool = false
    ) {
        self.nonce = nonce
        self.requiresNonce = requiresNonce
        self.tokenAgeMax = tokenAgeMax
        self.challengeLifetime = challengeLifetime
        self.keepsTokens = keepsTokens
    }
}

/// Where the nonce of an identity token comes from.
package enum NonceRule: Equatable, Sendable {
    /// The contract has no nonce; a nonce in the token is ignored.
    case none
    /// The client chooses the nonce. If the request has a nonce, the token must have the same one.
    case chosenByClient
    /// The operation `challenge` issues the nonce, and sign-in consumes it. A token with a nonce is
    /// refused if the request has none.
    case issued
}
