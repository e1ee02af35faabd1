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
    ///   - session: nil in a contract without sessions, which has no mail either.
    ///   - audit: the account's chain.
    ///   - change: the change of the account. The store refuses it if the account was changed
    ///     since it was read.
    init(
        _ auth: AuthServices, of known: User, _ event: AuditEvent, _ method: SignInMethod,
        by session: Session?, _ audit: inout AuditTrail, _ caller: Caller,
        at now: Instant, change: (inout User) -> Void
    ) throws(AuthError) {
        // The notice goes to the addresses before the change, so that their owner learns of a new
        // address.
        var (user, notified) = (known, known)
        var undoable: UndoableChange?
        change(&user)
        if known.noticeAddresses.isEmpty { notified = user }
        if let session {
            let since = session.proofs.since
            for index in user.identities.indices
            where !known.identities.contains(user.identities[index]) {
                user.identities[index].addition = Addition(at: now, since: since)
            }
            undoable = try auth.undoable(
                event == .methodAdded ? .methodAdded : .methodRemoved, of: known, to: notified,
                saying: ["method": method.name], isUndone: event == .methodAdded, since: since,
                caller, at: now)
            user.add(undoable?.point, at: now)
        }
        // The write that adds the first sign-in method turns a guest into an ordinary account.
        if !user.identities.isEmpty { user.isGuest = false }
        user.updatedAt = now
        user.revision = known.revision
        let changed = user
        let writes = [UserRecord.replacing(known) { $0 = changed }] + (undoable?.writes ?? [])
        audit.record(event, session: session?.id, caller, detail: method.name, at: now)
        user.revision += 1
        self.init(user: user, writes: writes, notice: undoable?.notice ?? .none)
    }
}
