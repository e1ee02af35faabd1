internal import AuthDomain

/// The right to open a session for a user. `SessionOpening` asks for it, so that no sign-in can
/// forget the second factor: what a first factor gives is a `FirstFactor`, which has a session only
/// for an account without a second one.
struct SessionPermit {
    let user: User

    /// nil if the account has a second factor.
    init?(firstFactorOf user: User) {
        guard !user.hasSecondFactor else { return nil }
        self.user = user
    }

    /// For a user who has given the second factor.
    init(_ proof: SecondFactorProof, of user: User) {
        precondition(proof.user == user.id)
        self.user = user
    }

    /// For a device that the account trusts.
    init(_ trusted: TrustedDevice, of user: User) {
        precondition(trusted.user == user.id)
        self.user = user
    }

    /// For a session in place of that of a signed-in user, whose account has changed.
    init(replacing principal: Principal, of user: User) {
        precondition(principal.user.id == user.id)
        self.user = user
    }
}
