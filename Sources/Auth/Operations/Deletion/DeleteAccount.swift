package import AuthDomain
internal import AuthRecords
internal import Time

/// Deletes the account of a signed-in user.
///
/// One transaction makes the account unusable, ends its sessions, frees its identities and its
/// address for a new account, and writes down what is left to be erased (`EraseAccount`).
package struct DeleteAccount: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        var principal = principal
        for attempt in auth.attempts {
            if attempt > 0 {
                // The account was changed meanwhile: it is deleted as it is now.
                principal = try auth.authenticate.open(
                    caller, for: .deleteAccount, attempt: attempt, reading: { _ in [] }
                ).principal
            }
            let now = auth.clock.now()
            if auth.policy.deletion.requiresRecentSignIn {
                try auth.requireRecentSignIn(principal, at: now)
            }
            let user = principal.user
            let notice = try auth.notice(.accountDeleted, to: user, caller, at: now)
            let deletion = AccountDeletion(auth, of: user, by: .owner, at: now)
            // The receipt: it outlives the account, so it has nothing of the caller.
            var audit = auth.audit(.account(user.id), principal.auditHead)
            audit.record(.accountDeleted, Caller(), at: now)
            let closing = deletion.writes + notice.writes
            guard try auth.commit(closing, &audit) else { continue }
            notice.deliver()
            deletion.eraseAfterReply()
            return
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var deleteAccount: DeleteAccount { DeleteAccount(self) }
}

extension AuthOperation {
    package static let deleteAccount = AuthOperation(
        "deleteAccount", servedBy: "delete-account", audited: .caller)
}
