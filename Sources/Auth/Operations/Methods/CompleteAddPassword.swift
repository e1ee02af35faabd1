package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Adds a password and its address to an account, with the link or code of a mail.
    ///
    /// Only a session of the account that requested the link may use it: otherwise an attacker
    /// could add a victim's address to the attacker's account, if the victim opens the link.
    package func completeAddPassword(
        token: String, _ caller: Caller
    ) throws(AuthError) -> SignInMethods {
        try completeAddPassword(.token(token), caller)
    }

    package func completeAddPassword(
        _ answer: MailAnswer, _ caller: Caller
    ) throws(AuthError) -> SignInMethods {
        // 1. Open: authenticate, and read the link.
        let lifetime = try passwords.policy.resetLifetime
        var link: AccountLink?
        let (principal, items) = try authenticate.open(
            caller, for: .completeAddPassword, using: try answer.use(within: lifetime, self)
        ) { user in
            link = answer.accountLink(of: user)
            return link.map { [$0.key(.addPassword), StoreLayout.password(of: user)] } ?? []
        }
        let user = principal.user
        guard let row = answer.accepted(link.flatMap { items[$0.key(.addPassword)] }) else {
            throw answer.refusal
        }
        let pending = try decoded(PendingPassword(row))
        guard pending.epoch == user.epoch else { throw answer.refusal }
        guard items[StoreLayout.password(of: user.id)] == nil else {
            throw .method(.alreadyAdded)
        }

        // 2. Close: write the address and the password. Another account may have claimed it in the
        //    meantime.
        let now = clock.now()
        let email = pending.email
        let since = principal.session.proofs.since
        let moved = try AddressChange(self, of: user, to: email, since: since, caller, at: now)
        var audit = audit(.account(user.id), principal.auditHead)
        let change = try MethodChange(
            self, of: user, .methodAdded, .password, by: principal.session, &audit, caller, at: now
        ) { user in
            user.identities.removeAll(where: \.isPassword)
            user.identities.append(.password(email))
            moved.apply(to: &user)
        }
        let closing =
            [
                .delete(row.key, when: [.present]),
                .put(
                    PasswordRecord.item(
                        pending.hash, of: user.id, changedAt: now, since: since),
                    when: [.absent]),
            ] + change.writes + moved.writes
        guard try commit(closing, &audit) else { throw answer.refusal }
        change.notice.deliver()
        moved.deliver()
        return SignInMethods(of: change.user, hasPassword: true)
    }
}

extension AuthOperation {
    package static let completeAddPassword = AuthOperation(
        "confirmPassword", servedBy: "add-password", audited: .caller)
}
