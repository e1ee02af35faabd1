internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// A second factor that was proven after the first, and its writes in addition to the session's.
struct ProvenSecondFactor {
    enum Proof {
        case code(SecondFactorProof)
        case passkey(PasskeyProof)

        var method: ProofMethod {
            switch self {
            case .code(let proof): proof.method
            case .passkey(let proof): proof.method
            }
        }
    }

    let proof: Proof
    /// The sign-in that the ticket of the first factor completes.
    let pending: PendingSignIn
    let user: User
    /// The detail in the audit log.
    let detail: String
    /// The chain of actions on the account.
    let audit: AuditTrail
    /// The writes that use up the ticket, and the code or the ceremony.
    let writes: [Write]
    /// Whether the owner has shown that the factor is not lost.
    let stopsRemoval: Bool
    let history: SignInHistory
    /// The notice to the owner about the factor that was used.
    var notice = OwnerNotice.none
}

/// The last step of every sign-in with two factors: the application is asked, and one transaction
/// writes the session and uses up both proofs.
struct SecondFactorEnding {
    private let auth: AuthServices
    private let caller: Caller
    private let signer: AccessTokenSigner
    private var hook: SignInHook

    /// Gets the signing key. Without the key, a sign-in must not use up its proofs.
    init(_ auth: AuthServices, _ caller: Caller) throws(AuthError) {
        self.auth = auth
        self.caller = caller
        signer = try auth.accessTokens.signer(for: .secondFactor, caller)
        hook = SignInHook(auth, .secondFactor, caller)
    }

    /// Returns nil if another request changed the rows first. A repeated attempt does not ask the
    /// application again.
    mutating func close(
        _ proven: ProvenSecondFactor, at now: Instant
    ) throws(AuthError) -> SessionTokens? {
        let (user, first) = (proven.user, proven.pending.method)
        let approval = try hook.approval(
            of: user, by: proven.pending.provider,
            provenBy: [first].compactMap(\.self) + [proven.proof.method])
        let permit =
            switch proven.proof {
            case .code(let proof): SessionPermit(proof, after: first, of: user, approval, at: now)
            case .passkey(let proof):
                SessionPermit(secondFactor: proof, after: first, of: user, approval, at: now)
            }
        var audit = proven.audit
        let session = try OpenedSession(
            auth, permit, proven.pending, proven.history, signer, &audit, caller, at: now)
        audit.record(.signedIn, session: session.id, caller, detail: proven.detail, at: now)
        if proven.stopsRemoval {
            audit.record(.secondFactorRemovalStopped, session: session.id, caller, at: now)
        }
        let unchanged = Write.check(
            StoreLayout.profile(user.id), when: UserRecord.unchanged(user))
        let writes = proven.writes + [unchanged] + session.writes + proven.notice.writes
        guard try auth.commit(writes, &audit) else { return nil }
        proven.notice.deliver()
        session.notice.deliver()
        return try session.tokens(for: user, at: now)
    }
}
