package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Replaces a forgotten password with the token of a mailed link, and ends every session.
///
/// The link verifies the address. If it was not verified before, every other sign-in method is
/// removed (`User.proveAddress`).
package struct ResetPassword: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        token: String, newPassword: String, _ caller: Caller
    ) throws(AuthError) {
        // 1. Open: count, and find the link, its account and the password.
        let link = AccountLink(parsing: token)
        let keys = link.map { link in
            [
                link.key(.resetPassword), StoreLayout.profile(link.user),
                StoreLayout.password(of: link.user), AuditChain.account(link.user).headKey,
            ]
        }
        let opening = try auth.open(
            .resetPassword, counting: [(.address, caller.address)], reading: keys ?? [])
        try opening.admit()
        guard let link, let row = opening.items[0], let profile = opening.items[1] else {
            throw try refusedLink(caller)
        }
        let password = opening.items[2]
        let (user, epoch) = try stored { () throws(StoreFailure) in
            (try UserRecord.user(profile, id: link.user), try AccountLink.epoch(row))
        }
        // A link is older than every change that ended the account's sessions.
        guard user.deletedAt == nil, epoch == user.epoch,
            user.identities.contains(where: \.isPassword)
        else { throw try refusedLink(caller) }
        guard !user.isDisabled else {
            try auth.recordFailure(
                .passwordResetFailed, on: auth.audit(.attempts(on: user.id)), caller,
                detail: "accountDisabled")
            throw .account(.disabled)
        }

        // 2. The new password.
        let passwords = try auth.passwords
        try passwords.check(newPassword, for: user.loginAddress)
        let hash = try passwords.hash(newPassword)

        // 3. Close. Of two requests with one link, one loses.
        let now = auth.clock.now()
        let notice = try auth.notice(.passwordChanged, to: user, caller, at: now)
        let closing =
            [
                .delete(row.key, when: [.present]),
                .put(
                    PasswordRecord.item(hash, of: user.id, changedAt: now),
                    when: password.map(PasswordRecord.unchanged) ?? [.absent]),
                UserRecord.replacing(user) { $0.proveAddress(at: now) },
            ] + auth.removal(of: user.unprovenIdentities, from: user.id, at: now)
            + notice.writes
        var audit = try auth.audit(.account(user.id), head: opening.items[3])
        audit.record(.passwordReset, caller, at: now)
        guard try auth.commit(closing, &audit) else { throw try refusedLink(caller) }
        notice.deliver()
    }

    /// A link that does not hold proves no account, so it is recorded where it came from.
    private func refusedLink(_ caller: Caller) throws(AuthError) -> AuthError {
        try auth.recordFailure(
            .passwordResetFailed, on: auth.networkAudit(caller), caller, detail: "invalidLink")
        return .emailLink(.invalid)
    }
}

extension AuthServices {
    package var resetPassword: ResetPassword { ResetPassword(self) }
}

extension AuthOperation {
    package static let resetPassword = AuthOperation(
        "resetPassword", servedBy: "reset-password", counting: [.address], audited: .others)
}
