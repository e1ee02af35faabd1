package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Removes the second factor of a signed-in user, who must present it again: a code or a
    /// recovery code. Every session ends, and the caller gets a new one.
    package func removeAuthenticator(
        _ answer: SecondFactorAnswer, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try accessTokens.signer(for: .removeAuthenticator, caller)

        // 1. Open: authenticate, and read the factor.
        let owner = try FactorOwner(self, caller, for: .removeAuthenticator)
        let now = clock.now()
        try requireRecentSignIn(owner.principal, givesSecondFactor: true, at: now)
        let (check, _) = try owner.check(self, answer, caller, at: now)

        // 2. Close.
        let change = try FactorChange(
            self, owner, .secondFactorRemoved, signer, caller, at: now
        ) { $0.hasSecondFactor = false }
        return try change.close(self, check.removal, at: now)
    }
}

extension AuthOperation {
    package static let removeAuthenticator = AuthOperation(
        "removeAuthenticator", servedBy: "totp", audited: .caller)
}
