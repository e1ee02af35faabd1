package import Time

/// What the user of a session has proven, and when. It decides what the session may do to its
/// account.
///
/// A session keeps its proof: a refresh adds nothing to it, and a session that takes the place of
/// another has the proof of that one, and what the user proved in the same request.
package struct SignInProof: Equatable, Sendable {
    /// When the user proved the first factor.
    package let provenAt: Instant
    /// Whether the user gave the second factor as well. A trusted device signs in without it, so it
    /// is false there.
    package let includesSecondFactor: Bool

    package init(provenAt: Instant, includesSecondFactor: Bool) {
        self.provenAt = provenAt
        self.includesSecondFactor = includesSecondFactor
    }

    /// After the user of the session has proven the first factor once more. That is a sign-in only
    /// for an account without a second factor: otherwise a stolen session and the password would
    /// pass for both factors.
    package func repeatingFirstFactor(of user: User, at now: Instant) -> SignInProof {
        user.hasSecondFactor ? self : SignInProof(provenAt: now, includesSecondFactor: false)
    }

    /// After the user of the session has given the second factor. The proof of the first one is as
    /// old as before.
    package var addingSecondFactor: SignInProof {
        SignInProof(provenAt: provenAt, includesSecondFactor: true)
    }

    /// Whether the user has signed in a short time ago, with every factor of the account. What an
    /// attacker with a stolen session must not do asks for it (ASVS 5.0, 7.5.1).
    package func isRecent(for user: User, at now: Instant, within limit: Span) -> Bool {
        now - provenAt < limit && (includesSecondFactor || !user.hasSecondFactor)
    }
}
