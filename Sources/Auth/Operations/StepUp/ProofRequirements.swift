package import AuthDomain
internal import Time

extension AuthServices {
    /// Requires a recent or strong proof of the user's identity, for a route.
    package func require(
        _ requirement: ProofRequirement, of principal: Principal
    ) throws(AuthError) {
        guard principal.session.proofs.meet(requirement, at: clock.now()) else {
            throw .session(.stepUpRequired(requirement))
        }
    }

    /// Requires a proof for actions that only the role `administrator` may perform. The rule is the
    /// same as for sensitive changes of one's own account, but with more time, because
    /// administrators change several accounts.
    package func requireAdministratorProof(
        _ principal: Principal
    ) throws(AuthError) {
        try require(administratorProof(of: principal.user), of: principal)
    }

    package func hasAdministratorProof(_ principal: Principal) -> Bool {
        principal.session.proofs.meet(administratorProof(of: principal.user), at: clock.now())
    }

    private func administratorProof(of user: User) -> ProofRequirement {
        .sensitiveChange(of: user, givesSecondFactor: false, within: Administrator.proofAgeMax)
    }

    /// The check of a page for a sensitive change, before the user types anything.
    package func requireRecentSignIn(_ principal: Principal) throws(AuthError) {
        try requireRecentSignIn(principal, at: clock.now())
    }

    func requireRecentSignIn(
        _ principal: Principal, givesSecondFactor: Bool = false, at now: Instant
    ) throws(AuthError) {
        try requireRecentSignIn(
            principal.session, of: principal.user, givesSecondFactor: givesSecondFactor, at: now)
    }

    /// The check of a sensitive change of the account.
    ///
    /// - Parameter givesSecondFactor: whether the request itself includes the second factor.
    func requireRecentSignIn(
        _ session: Session, of user: User, givesSecondFactor: Bool = false, at now: Instant
    ) throws(AuthError) {
        let requirement = ProofRequirement.sensitiveChange(
            of: user, givesSecondFactor: givesSecondFactor,
            within: policy.sessions.recentSignIn)
        guard session.proofs.meet(requirement, at: now) else {
            throw .session(.recentSignInRequired(requirement))
        }
    }
}
