package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Removes the second factor of a signed-in user who gives it once more, by a code or by a recovery
/// code. Every session ends, and the caller gets a new one.
package struct RemoveAuthenticator: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        _ answer: SecondFactorAnswer, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(at: auth.clock.now())

        // 1. Open: who calls, and the factor.
        let owner = try FactorOwner(auth, caller, for: .removeAuthenticator)
        let now = auth.clock.now()
        try auth.requireRecentSignIn(owner.principal, givesSecondFactor: true, at: now)
        let (check, _) = try owner.check(auth, answer, caller, at: now)

        // 2. Close.
        let change = try FactorChange(
            auth, owner, .secondFactorRemoved, caller, at: now
        ) { $0.hasSecondFactor = false }
        return try change.close(auth, check.removal, signer, at: now)
    }
}

extension AuthServices {
    package var removeAuthenticator: RemoveAuthenticator { RemoveAuthenticator(self) }
}

extension AuthOperation {
    package static let removeAuthenticator = AuthOperation(
        "removeAuthenticator", servedBy: "totp", audited: .caller)
}
