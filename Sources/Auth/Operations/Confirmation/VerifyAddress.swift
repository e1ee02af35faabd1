package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Verifies the address of an account with the link or code of a mail.
    ///
    /// Only a session of that account may use the link. Otherwise an attacker who registered a
    /// victim's address would have it verified as soon as the victim opens the link (account
    /// pre-hijacking; Sudhodanan and Paverd, USENIX Security 2022).
    package func verifyAddress(
        token: String, _ caller: Caller
    ) throws(AuthError) -> User {
        try verifyAddress(.token(token), caller)
    }

    package func verifyAddress(
        _ answer: MailAnswer, _ caller: Caller
    ) throws(AuthError) -> User {
        // 1. Open: authenticate, and read the link.
        let lifetime = try passwords.policy.verificationLifetime
        for attempt in attempts {
            var link: AccountLink?
            let (principal, items) = try authenticate.open(
                caller, for: .verifyAddress, attempt: attempt,
                using: try answer.use(within: lifetime, self)
            ) { user in
                link = answer.accountLink(of: user)
                return link.map { [$0.key(.confirmEmail)] } ?? []
            }
            let user = principal.user
            guard let row = answer.accepted(link.flatMap { items[$0.key(.confirmEmail)] }) else {
                throw answer.refusal
            }
            let pending = try decoded(PendingConfirmation(row))
            // A link is valid for the address it was mailed to, and until the account's sessions
            // end.
            guard pending.epoch == user.epoch, pending.isFor(user) else { throw answer.refusal }

            // 2. Close. Of two requests with one link, one loses and then finds no link.
            let now = clock.now()
            var audit = audit(.account(user.id), principal.auditHead)
            audit.record(.emailConfirmed, session: principal.session.id, caller, at: now)
            var confirmed = user
            confirmed.isEmailVerified = true
            confirmed.updatedAt = now
            let next = confirmed
            let closing = [
                .delete(row.key, when: [.present]), UserRecord.replacing(user) { $0 = next },
            ]
            if try commit(closing, &audit) { return confirmed }
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    package static let verifyAddress = AuthOperation(
        "confirmEmail", servedBy: "confirm-email", audited: .caller)
}
