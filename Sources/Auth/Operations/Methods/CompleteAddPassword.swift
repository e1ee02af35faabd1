package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Adds a password and its address to an account, with the token of the mailed link.
///
/// Only a session of the account that asked for it may use the link: otherwise an attacker could
/// add the address of a victim, who opens the link, to an account of their own.
package struct CompleteAddPassword: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        token: String, _ caller: Caller
    ) throws(AuthError) -> SignInMethods {
        // 1. Open: who calls, and the link.
        let link = AccountLink(parsing: token)
        let (principal, items) = try auth.authenticate.open(caller, for: .completeAddPassword) {
            user in
            link.map { [$0.key(.addPassword), StoreLayout.password(of: user)] } ?? []
        }
        let user = principal.user
        guard let link, link.user == user.id, let row = items[0] else {
            throw .emailLink(.invalid)
        }
        let pending = try stored { () throws(StoreFailure) in
            try PendingPasswordRecord.pending(row)
        }
        guard pending.epoch == user.epoch else { throw .emailLink(.invalid) }
        guard items[1] == nil else { throw .method(.alreadyAdded) }

        // 2. Close: the address and the password. Another account may have claimed it meanwhile.
        let now = auth.clock.now()
        let email = pending.email
        var audit = auth.audit(.account(user.id), principal.auditHead)
        let change = try MethodChange(
            auth, of: user, .methodAdded, .password, session: principal.session.id, &audit, caller,
            at: now
        ) { user in
            user.identities.removeAll(where: \.isPassword)
            user.identities.append(.password(email))
            user.login = email.folded
            user.email = email.text
            user.isEmailVerified = true
        }
        let closing =
            [
                .delete(row.key, when: [.present]),
                .put(
                    PasswordRecord.item(pending.hash, of: user.id, changedAt: now),
                    when: [.absent]),
            ] + change.writes + user.movingClaim(to: email)
            + auth.policy.accounts.emailIndex(of: user.id, from: user.emailAddress, to: email)
        guard try auth.commit(closing, &audit) else { throw .emailLink(.invalid) }
        change.notice.deliver()
        return SignInMethods(of: change.user, hasPassword: true)
    }
}

extension AuthServices {
    package var completeAddPassword: CompleteAddPassword { CompleteAddPassword(self) }
}

extension AuthOperation {
    package static let completeAddPassword = AuthOperation(
        "confirmPassword", servedBy: "add-password", audited: .caller)
}
