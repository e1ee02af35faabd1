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
