package import AuthDomain
package import AuthOperations
package import Time

extension AuthError {
    /// The refusal of a sensitive change, with the default age.
    package static func recentSignInRequired(_ strength: ProofStrength = .oneFactor) -> AuthError {
        .session(.recentSignInRequired(ProofRequirement(strength, within: .minutes(10))))
    }
}

extension SessionProofs {
    /// Proof of a sign-in with a password.
    package static func password(at now: Instant) -> SessionProofs {
        SessionProofs(signIn: SignInProof(provenAt: now, [.password], includesSecondFactor: false))
    }
}
