internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The writes that add or remove a sign-in method: the account, an audit event, and a mail to the
/// owner.
struct MethodChange {
    let user: User
    let writes: [Write]
    let notice: OwnerNotice
}

extension MethodChange {
    /// - Parameters:
    ///   - notifies: false in a contract without mail.
    ///   - audit: the account's chain.
    ///   - change: refused by the store if the account was changed since it was read.
    init(
        _ auth: AuthServices, of known: User, _ event: AuditEvent, _ method: SignInMethod,
        session: SessionID?, notifies: Bool = true, _ audit: inout AuditTrail, _ caller: Caller,
        at now: Instant, change: (inout User) -> Void
    ) throws(AuthError) {
        var user = known
        change(&user)
        // In the write that gives it a way to sign in, a guest becomes an account.
        if !user.identities.isEmpty { user.isGuest = false }
        user.updatedAt = now
        user.revision = known.revision
        let kind: Mail.Kind = event == .methodAdded ? .methodAdded : .methodRemoved
        // The notice goes to the addresses before the change, whose owner must learn of a new one.
        let owner = known.noticeAddresses.isEmpty ? user : known
        let notice =
            notifies
            ? try auth.notice(kind, to: owner, saying: ["method": method.name], caller, at: now)
            : .none
        let changed = user
        let writes =
            [UserRecord.replacing(known) { $0 = changed }] + notice.writes
        audit.record(event, session: session, caller, detail: method.name, at: now)
        user.revision += 1
        self.init(user: user, writes: writes, notice: notice)
    }
}
