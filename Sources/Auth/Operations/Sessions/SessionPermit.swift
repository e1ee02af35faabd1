internal import AuthDomain
internal import Time

/// The right to open a session for a user. `SessionOpening` requires it, so that no sign-in can
/// skip the second factor: a first factor results in a `FirstFactor`, which contains a session only
/// for an account without a second factor or for a trusted device. Nor can it skip the hook
/// `beforeSignIn`, whose `SignInApproval` every sign-in needs.
struct SessionPermit {
    let user: User
    private(set) var proofs: SessionProofs
    /// Why the session is opened, for the hook `token`.
    let reason: TokenReason

    private init(
        _ user: User, _ methods: [ProofMethod], includesSecondFactor: Bool, at now: Instant
    ) {
        self.user = user
        reason = .signIn
        proofs = SessionProofs(
            signIn: SignInProof(
                provenAt: now, methods, includesSecondFactor: includesSecondFactor))
    }

    /// nil if the account has a second factor, or the application asks for one.
    init?(
        firstFactorOf user: User, _ method: ProofMethod, _ approval: SignInApproval,
        at now: Instant
    ) {
        precondition(approval.user == user.id)
        guard !user.hasSecondFactor, !approval.requiresSecondFactor else { return nil }
        self.init(user, [method], includesSecondFactor: false, at: now)
    }

    /// Permits a session of a user who has presented the second factor after the first.
    init(
        _ proof: SecondFactorProof, after first: ProofMethod?, of user: User,
        _ approval: SignInApproval, at now: Instant
    ) {
        precondition(proof.user == user.id && approval.user == user.id)
        self.init(
            user, [first].compactMap(\.self) + [proof.method], includesSecondFactor: true, at: now)
    }

    /// Permits a session of a user who has signed in with a passkey that verified the user, which
    /// counts as two factors (NIST SP 800-63B-4 section 2.2); nil if the passkey did not verify the
    /// user.
    init?(_ proof: PasskeyProof, of user: User, _ approval: SignInApproval, at now: Instant) {
        precondition(proof.user == user.id && approval.user == user.id)
        guard proof.isUserVerified else { return nil }
        self.init(user, [proof.method], includesSecondFactor: true, at: now)
    }

    /// Permits a session of a user whose second factor was a passkey, and whose first factor was
    /// another method.
    init(
        secondFactor proof: PasskeyProof, after first: ProofMethod?, of user: User,
        _ approval: SignInApproval, at now: Instant
    ) {
        precondition(proof.user == user.id && approval.user == user.id)
        self.init(
            user, [first].compactMap(\.self) + [proof.method], includesSecondFactor: true, at: now)
    }

    /// Permits a session on a device that the account trusts; nil if the application asks for a
    /// second factor.
    init?(
        _ trusted: TrustedDevice, _ method: ProofMethod, of user: User,
        _ approval: SignInApproval, at now: Instant
    ) {
        precondition(trusted.user == user.id && approval.user == user.id)
        guard !approval.requiresSecondFactor else { return nil }
        self.init(user, [method], includesSecondFactor: false, at: now)
    }

    /// The same permit, for a sign-in method that another session has added.
    ///
    /// - Parameter since: `SessionProofs.since` of the other session; nil if there is none.
    func inheriting(_ since: Instant?) -> SessionPermit {
        var permit = self
        permit.proofs = SessionProofs(
            signIn: proofs.signIn, stepUp: proofs.stepUp, inherited: since)
        return permit
    }

    /// Permits a session that replaces the session of a signed-in user whose account has changed.
    ///
    /// - Parameter proofs: the proofs of the session, extended by the ones in this request.
    init(replacing principal: Principal, of user: User, _ proofs: SessionProofs) {
        precondition(principal.user.id == user.id)
        self.user = user
        self.proofs = proofs
        reason = .change
    }
}
