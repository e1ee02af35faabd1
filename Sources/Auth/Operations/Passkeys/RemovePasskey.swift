package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Removes a passkey from the account of a user who signed in recently. The last sign-in method
    /// cannot be removed.
    ///
    /// The sessions that began with the passkey end, except for the session of this request: a
    /// thief of the device is signed out, and the owner is not.
    package func removePasskey(_ id: String, _ caller: Caller) throws(AuthError) {
        for attempt in attempts {
            // 1. Open: read the caller, the passkey, and the sessions of the account.
            let (principal, items, page) = try authenticate.open(
                caller, for: .removePasskey, attempt: attempt,
                reading: { user in [StoreLayout.passkey(id, of: user)] },
                listing: sessionsQuery)
            let user = principal.user
            let now = clock.now()
            try requireRecentSignIn(principal, at: now)
            guard items[StoreLayout.passkey(id, of: user.id)] != nil,
                let identity = user.identities.first(where: {
                    $0.isPasskey && $0.subject.isSame(as: id)
                })
            else { throw .passkey(.notFound) }
            guard user.identities.count > 1 else { throw .method(.last) }
            let begun = try history(of: user, first: page).sessions().filter { session in
                session.origin.passkey?.isSame(as: id) ?? false
            }

            // 2. Close: delete the passkey and its sessions, and write the account and a mail to
            //    the owner.
            var audit = audit(.account(user.id), principal.auditHead)
            let change = try MethodChange(
                self, of: user, .methodRemoved, .passkey, by: principal.session, &audit,
                caller, at: now
            ) { user in user.identities.removeAll { $0 == identity } }
            var closing = change.writes + removal(of: [identity], from: user.id, at: now)
            // Each of these sessions has ended as soon as the account lacks the passkey
            // (`SessionEnd`), even one that begins at this moment. As many of their rows are
            // deleted as fit into the transaction.
            for session in begun.prefix(sessionsDeletedMax) where session.id != principal.session.id
            {
                closing.append(deletion(of: session))
                audit.record(.sessionRevoked, session: session.id, caller, at: now)
            }
            if begun.contains(where: { $0.id == principal.session.id }) {
                var kept = principal.session
                kept.origin.passkey = nil
                kept.writer = random.bytes(8)
                closing.append(
                    .put(
                        SessionRecord.item(kept),
                        when: SessionRecord.unchanged(principal.session)))
            }
            guard try commit(closing, &audit) else { continue }
            change.notice.deliver()
            return
        }
        throw .unavailable(.contention)
    }
}

/// The number is limited by the size of a transaction.
private let sessionsDeletedMax = 40

extension AuthOperation {
    package static let removePasskey = AuthOperation(
        "removePasskey", servedBy: "passkeys", audited: .caller)
}
