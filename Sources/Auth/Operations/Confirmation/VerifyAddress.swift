package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Verifies the address of an account, or replaces it by another one, with the link or code of
    /// a mail.
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
        var claimKey: ItemKey?
        for attempt in attempts {
            var link: AccountLink?
            let (principal, items) = try authenticate.open(
                caller, for: .verifyAddress, attempt: attempt,
                using: try answer.use(within: lifetime, self)
            ) { user in
                link = answer.accountLink(of: user)
                return (link.map { [$0.key(.confirmEmail)] } ?? []) + [claimKey].compactMap(\.self)
            }
            let user = principal.user
            guard let row = answer.accepted(link.flatMap { items[$0.key(.confirmEmail)] }) else {
                throw answer.refusal
            }
            // A link is valid until the account's sessions end, or its address changes.
            let pending = try decoded(PendingConfirmation(row))
            guard pending.isFor(user) else { throw answer.refusal }

            // 2. Close. If two requests use the same link, one fails and then finds no link; if two
            //    accounts claim the same address, one fails and then finds the owner.
            let now = clock.now()
            var audit = audit(.account(user.id), principal.auditHead)
            var confirmed = user
            var change: AddressChange?
            var closing = [Write.delete(row.key, when: [.present])]
            switch pending.purpose {
            case .verify:
                audit.record(.emailConfirmed, session: principal.session.id, caller, at: now)
                confirmed.isEmailVerified = true
                confirmed.updatedAt = now
            case .replace:
                let owner = try owner(claimKey.flatMap { items[$0] })
                guard owner ?? user.id == user.id else { throw answer.refusal }
                claimKey = StoreLayout.emailClaim(pending.email)
                let moved = try AddressChange(
                    self, of: user, to: pending.email, since: principal.session.proofs.since,
                    ownedBy: owner, caller, at: now)
                moved.apply(to: &confirmed)
                closing += moved.writes
                closing.append(
                    .check(
                        StoreLayout.session(principal.session.id, of: user.id), when: [.present]))
                audit.record(.emailChanged, session: principal.session.id, caller, at: now)
                change = moved
            }
            let next = confirmed
            closing.append(UserRecord.replacing(user) { $0 = next })
            if try commit(closing, &audit) {
                change?.deliver()
                return confirmed
            }
        }
        throw .unavailable(.contention)
    }
}

extension AuthOperation {
    package static let verifyAddress = AuthOperation(
        "confirmEmail", servedBy: "confirm-email", audited: .caller)
}
