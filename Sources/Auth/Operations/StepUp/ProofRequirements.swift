package import AuthDomain
internal import Time

extension AuthServices {
    /// For a route that asks for a recent or strong proof of who the user is.
    package func require(
        _ requirement: ProofRequirement, of principal: Principal
    ) throws(AuthError) {
        guard principal.session.proofs.meet(requirement, at: clock.now()) else {
            throw .session(.stepUpRequired(requirement))
        }
    }

    /// For what only administrators may do: the rule for sensitive changes of one's own account,
    /// with more time for several accounts.
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

    /// For a page of a sensitive change, before anything is typed.
    package func requireRecentSignIn(_ principal: Principal) throws(AuthError) {
        try requireRecentSignIn(principal, at: clock.now())
    }

    /// For sensitive changes of the account.
    ///
    /// - Parameter givesSecondFactor: whether the request itself includes the second factor.
    func requireRecentSignIn(
        _ principal: Principal, givesSecondFactor: Bool = false, at now: Instant
    ) throws(AuthError) {
        let requirement = ProofRequirement.sensitiveChange(
            of: principal.user, givesSecondFactor: givesSecondFactor,
            within: policy.sessions.recentSignIn)
        guard principal.session.proofs.meet(requirement, at: now) else {
            throw .session(.recentSignInRequired(requirement))
        }
    }
}
