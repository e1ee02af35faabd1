package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Replaces a forgotten password with the link or code of a mail, and ends every session.
///
/// The link verifies the address. If it was not verified before, every other sign-in method is
/// removed (`User.proveAddress`).
package struct ResetPassword: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        token: String, newPassword: String, _ caller: Caller
    ) throws(AuthError) {
        try self(.token(token), newPassword: newPassword, caller)
    }

    package func callAsFunction(
        _ answer: MailAnswer, newPassword: String, _ caller: Caller
    ) throws(AuthError) {
        // 1. Open: count, and find the link, its account and the password.
        let link = try answer.link(AccountLink.init(parsing:)) { place throws(AuthError) in
            try auth.mail.openAccount(place).flatMap { AccountLink(of: $0.user, at: $0.rest) }
        }
        let keys = link.map(Self.keys) ?? []
        let opening = try auth.open(
            .resetPassword, counting: [(.address, caller.address)], reading: keys,
            using: try answer.use(within: try auth.passwords.policy.resetLifetime, auth))
        try opening.admit()
        guard let link else { throw try refused(answer, caller) }
        var items = opening.items
        var hash: String?
        for attempt in auth.attempts {
            // Another request changed the account in the meantime. The link is still valid unless
            // that request used it.
            if attempt > 0 { items = try auth.store.get(keys) }
            let (row, user) = try account(of: link, answer, items, caller)

            // 2. Check and hash the new password, once.
            if hash == nil {
                let passwords = try auth.passwords
                try passwords.check(newPassword, for: user.loginAddress)
                hash = try passwords.hash(newPassword)
            }
            guard let hash else { throw .fault(.unexpectedError) }

            // 3. Close. If two requests use the same link, only one succeeds.
            if try close(row, user, hash, items, caller) { return }
        }
        throw .unavailable(.contention)
    }

    private static func keys(_ link: AccountLink) -> [ItemKey] {
        [
            link.key(.resetPassword), StoreLayout.profile(link.user),
            StoreLayout.password(of: link.user), AuditChain.account(link.user).headKey,
        ]
    }

    private func account(
        of link: AccountLink, _ answer: MailAnswer, _ items: ReadItems, _ caller: Caller
    ) throws(AuthError) -> (row: Item, user: User) {
        guard let row = answer.accepted(items[link.key(.resetPassword)]),
            let user = try items.user(link.user)
        else { throw try refused(answer, caller) }
        let epoch = try decoded(AccountLink.epoch(row))
        // A link is valid until the account's sessions end, or its address changes.
        guard user.deletedAt == nil, epoch == user.epoch, try decoded(AccountLink.isFor(user, row)),
            user.identities.contains(where: \.isPassword)
        else { throw try refused(answer, caller) }
        try auth.refuseDisabled(
            user, .passwordResetFailed, on: auth.audit(.attempts(on: user.id)), caller)
        return (row, user)
    }

    /// Returns false if another request changed the rows first.
    private func close(
        _ row: Item, _ user: User, _ hash: String, _ items: ReadItems, _ caller: Caller
    ) throws(AuthError) -> Bool {
        let now = auth.clock.now()
        let notice = try auth.notice(.passwordChanged, to: user, caller, at: now)
        let closing =
            [
                .delete(row.key, when: [.present]),
                .put(
                    PasswordRecord.item(hash, of: user.id, changedAt: now),
                    when: items[StoreLayout.password(of: user.id)]
                        .map(PasswordRecord.unchanged) ?? [.absent]),
                UserRecord.replacing(user) { $0.proveAddress(at: now) },
            ] + auth.removal(of: user.unprovenIdentities, from: user.id, at: now)
            + notice.writes
        var audit = try auth.audit(.account(user.id), items)
        audit.record(.passwordReset, caller, at: now)
        guard try auth.commit(closing, &audit) else { return false }
        notice.deliver()
        return true
    }

    /// An invalid link identifies no account, so the failure is recorded in the chain of the
    /// client's network address.
    private func refused(
        _ answer: MailAnswer, _ caller: Caller
    ) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            .passwordResetFailed, on: auth.networkAudit(caller), caller,
            detail: answer.refusalDetail)
        return answer.refusal
    }
}

extension AuthServices {
    package var resetPassword: ResetPassword { ResetPassword(auth: self) }
}

extension AuthOperation {
    package static let resetPassword = AuthOperation(
        "resetPassword", servedBy: "reset-password", counting: [.address], audited: .others,
        hashing: true)
}
