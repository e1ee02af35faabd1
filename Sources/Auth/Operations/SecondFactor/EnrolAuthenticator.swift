package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Begins the enrolment of an authenticator app (RFC 6238) for a signed-in user. A sign-in does not
/// require a code until the app's first code has been confirmed (`ConfirmAuthenticator`).
package struct EnrolAuthenticator: Sendable {
    let auth: AuthServices

    package struct Output: Sendable {
        /// The secret for the app. No later request returns it.
        package let password: OneTimePassword
        /// The secret as a URI, for a QR code.
        package let uri: String
        package let lifetime: Span
    }

    package func callAsFunction(_ caller: Caller) throws(AuthError) -> Output {
        let policy = try auth.secondFactorPolicy

        // 1. Open: authenticate, and check that there is no second factor. An attacker with a
        //    session of the user must not be able to lock the user out by adding one.
        let owner = try FactorOwner(auth, caller, for: .enrolAuthenticator)
        let (user, session) = (owner.principal.user, owner.principal.session)
        let now = auth.clock.now()
        // A guest has no first factor.
        guard !user.isGuest else { throw .account(.guest) }
        try auth.requireRecentSignIn(owner.principal, at: now)
        // A person who verifies the address later takes over the account (`User.proveAddress`), and
        // would be locked out by an app that someone else added before.
        guard user.isEmailVerified || user.login == nil else {
            throw .secondFactor(.addressNotVerified)
        }
        guard owner.factor?.state != .enabled, !user.hasSecondFactor else {
            throw .secondFactor(.alreadyEnabled)
        }

        // 2. Close: write a factor that waits for its first code. It replaces an earlier one that
        //    was not confirmed.
        let password = OneTimePassword(
            secret: SecretBytes(auth.random.bytes(OneTimePassword.secretByteCount)))
        let factor = SecondFactor(
            sealedSecret: try auth.secondFactors.seal(password, of: user.id), enrolledAt: now,
            state: .pending(session.id))
        let row = SecondFactorRecord.item(
            factor, of: user.id, expiresAt: now + policy.enrolmentLifetime)
        let write = Write.put(
            row, when: owner.item.map(SecondFactorRecord.unchanged) ?? [.absent])
        var audit = owner.audit(auth)
        audit.record(.secondFactorEnrolled, session: session.id, caller, at: now)
        let entry = try auth.secondFactors.rows.entry(of: row.key)
        guard try auth.commit([write, entry], &audit) else { throw .unavailable(.contention) }
        return Output(
            password: password,
            uri: password.uri(
                issuer: policy.issuerName, account: user.login ?? user.email ?? user.id.text),
            lifetime: policy.enrolmentLifetime)
    }
}

extension AuthServices {
    package var enrolAuthenticator: EnrolAuthenticator { EnrolAuthenticator(auth: self) }
}

extension AuthOperation {
    package static let enrolAuthenticator = AuthOperation(
        "enrolAuthenticator", servedBy: "totp", audited: .caller)
}
