package import AuthDomain
internal import AuthRecords
internal import Time

extension AuthServices {
    /// Deletes the account of a signed-in user.
    ///
    /// One transaction makes the account unusable, ends its sessions, frees its identities and its
    /// address for a new account, and writes the job that erases its data (`EraseAccount`).
    package func deleteAccount(
        _ principal: Principal, _ caller: Caller
    ) throws(AuthError) {
        var principal = principal
        for attempt in attempts {
            if attempt > 0 {
                // The account was changed after it was read: the deletion is repeated with its
                // present state.
                principal = try authenticate.open(
                    caller, for: .deleteAccount, attempt: attempt, reading: { _ in [] }
                ).principal
            }
            let now = clock.now()
            if policy.deletion.requiresRecentSignIn {
                try requireRecentSignIn(principal, at: now)
            }
            let user = principal.user
            let notice = try notice(.accountDeleted, to: user, caller, at: now)
            let deletion = AccountDeletion(self, of: user, by: .request, at: now)
            // The event outlives the account, so it contains nothing about the caller.
            var audit = audit(.account(user.id), principal.auditHead)
            audit.record(.accountDeleted, Caller(), at: now)
            let closing = deletion.writes + notice.writes
            guard try commit(closing, &audit) else { continue }
            notice.deliver()
            deletion.eraseAfterReply()
            return
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    package static let deleteAccount = AuthOperation(
        "deleteAccount", servedBy: "delete-account", audited: .caller)
}
