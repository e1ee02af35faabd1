package import Time

/// The factors that the user of a session has proven, and when. Sensitive changes of the account
/// depend on it.
///
/// A session keeps its proof: a refresh adds nothing to it, and a session that replaces another
/// takes over its proof, extended by what the user proved in the same request.
package struct SignInProof: Equatable, Sendable {
    /// When the user proved the first factor.
    package let provenAt: Instant
    /// Whether the user presented the second factor as well; false for a sign-in on a trusted
    /// device.
    package let includesSecondFactor: Bool

    package init(provenAt: Instant, includesSecondFactor: Bool) {
        self.provenAt = provenAt
        self.includesSecondFactor = includesSecondFactor
    }

    /// The proof after the user has proven the first factor again. This counts as a new sign-in
    /// only for an account without a second factor: otherwise a stolen session plus the password
    /// would count as both factors.
    package func repeatingFirstFactor(of user: User, at now: Instant) -> SignInProof {
        user.hasSecondFactor ? self : SignInProof(provenAt: now, includesSecondFactor: false)
    }

    /// The proof after the user has presented the second factor. The time of the first factor does
    /// not change.
    package var addingSecondFactor: SignInProof {
        SignInProof(provenAt: provenAt, includesSecondFactor: true)
    }

    /// Whether the user has signed in recently, with every factor of the account. Sensitive changes
    /// require it, so that a stolen session does not suffice for them (ASVS 5.0, 7.5.1).
    package func isRecent(for user: User, at now: Instant, within limit: Span) -> Bool {
        now - provenAt < limit && (includesSecondFactor || !user.hasSecondFactor)
    }
}
