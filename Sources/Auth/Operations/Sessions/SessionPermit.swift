internal import AuthDomain
internal import Time

/// The right to open a session for a user. `SessionOpening` asks for it, so that no sign-in can
/// forget the second factor: what a first factor gives is a `FirstFactor`, which has a session only
/// for an account without a second one.
struct SessionPermit {
    let user: User
    let proof: SignInProof

    /// nil if the account has a second factor.
    init?(firstFactorOf user: User, at now: Instant) {
        guard !user.hasSecondFactor else { return nil }
        self.user = user
        proof = SignInProof(provenAt: now, includesSecondFactor: false)
    }

    /// For a user who has given the second factor.
    init(_ proof: SecondFactorProof, of user: User, at now: Instant) {
        precondition(proof.user == user.id)
        self.user = user
        self.proof = SignInProof(provenAt: now, includesSecondFactor: true)
    }

    /// For a device that the account trusts.
    init(_ trusted: TrustedDevice, of user: User, at now: Instant) {
        precondition(trusted.user == user.id)
        self.user = user
        proof = SignInProof(provenAt: now, includesSecondFactor: false)
    }

    /// For a session in place of that of a signed-in user, whose account has changed.
    ///
    /// - Parameter proof: that of the session, with what the user proved in this request.
    init(replacing principal: Principal, of user: User, _ proof: SignInProof) {
        precondition(principal.user.id == user.id)
        self.user = user
        self.proof = proof
    }
}
