internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The result of a sign-in method: its proof, and its writes in addition to the session's.
struct ProvenSignIn {
    let user: User
    /// The provider of the proven identity.
    let provider: String
    /// How the user has proven the identity.
    let method: ProofMethod
    /// The detail in the audit log.
    let detail: String
    /// The chain of actions on the account.
    let audit: AuditTrail
    let writes: [Write]
    /// Whether the sign-in makes the account.
    var isNew = false
    /// The values for the application's hook, if they differ from `isNew` and `method`.
    var isNewForHook: Bool?
    var proofs: [ProofMethod]?
    /// The app's statements about its device.
    var device = DeviceClaim()
    /// The passkey of the sign-in. It is two factors if it verified the user.
    var passkey: PasskeyProof?
    /// When the password was added, if the password was proven.
    var password: Addition?
    var history = SignInHistory()
    /// The notice to the owner about changes by the sign-in.
    var notice = OwnerNotice.none
}

/// The last step of every sign-in: the application's hook is asked, and the session, or the ticket
/// for the second factor, is written in one transaction with the method's own writes.
struct SignInEnding {
    private let auth: AuthServices
    private let caller: Caller
    private let signer: AccessTokenSigner
    private var hook: SignInHook

    /// Gets the signing key. Without the key, a sign-in must not use up its proofs.
    init(
        _ auth: AuthServices, _ operation: AuthOperation, _ caller: Caller
    ) throws(AuthError) {
        self.auth = auth
        self.caller = caller
        signer = try auth.accessTokens.signer(for: operation, caller)
        hook = SignInHook(auth, operation, caller)
    }

    /// - Parameter record: called with the new session before the events are written.
    /// - Returns: nil if another request changed the rows first. A repeated attempt does not ask
    ///   the application again.
    mutating func close(
        _ proven: ProvenSignIn, at now: Instant,
        recording record: (inout AuditTrail, SessionID?) -> Void = { _, _ in }
    ) throws(AuthError) -> SignInResult? {
        let approval = try hook.approval(
            of: proven.user, by: proven.provider, isNew: proven.isNewForHook ?? proven.isNew,
            provenBy: proven.proofs ?? [proven.method])
        var audit = proven.audit
        let factor = try auth.firstFactor(of: proven, approval, signer, &audit, caller, at: now)
        audit.record(
            proven.isNew ? .accountCreated : factor.event, session: factor.session, caller,
            detail: proven.detail, at: now)
        record(&audit, factor.session)
        guard try auth.commit(proven.writes + factor.writes, &audit) else { return nil }
        proven.notice.deliver()
        factor.deliver()
        return try factor.result(for: proven.user, at: now)
    }
}
