package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Completes a sign-in with the ticket of its first factor, and a code of the authenticator app or
/// a recovery code (ASVS 5.0, 6.3.3).
///
/// A ticket is valid once, for five minutes by default. It becomes invalid when all sessions of the
/// account end, for example by a changed password.
package struct CompleteSignIn: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        ticket: String, _ answer: SecondFactorAnswer, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        let signer = try auth.accessTokens.signer(for: .secondFactor, caller)

        // 1. Open: count, and find the ticket, its account, the factor and the sessions.
        let link = AccountLink(parsing: ticket)
        let keys = link.map { link in
            [
                link.key(.secondFactor), StoreLayout.profile(link.user),
                StoreLayout.secondFactor(of: link.user), AuditChain.account(link.user).headKey,
                AuditChain.attempts(on: link.user).headKey,
            ]
        }
        var opening = try auth.open(
            .secondFactor, counting: [(.address, caller.address)], reading: keys ?? [],
            listing: link.map { auth.sessionsQuery($0.user) }, provenBy: caller.key)
        try opening.admit()
        guard let link, let keys else { throw .secondFactor(.ticketInvalid) }

        var hook = SignInHook(auth, .secondFactor, caller)
        for _ in auth.attempts {
            let now = auth.clock.now()
            let (ticket, pending, user, item) = try found(opening.items, link)
            let factor = try decoded(SecondFactorRecord.factor(item))

            // 2. Judge the answer. A wrong one does not consume the ticket, and is counted before
            //    the response.
            let check = try SecondFactorCheck(auth, answer, item, factor, of: user, at: now)
            guard let proof = check.proof else {
                let trail = try auth.audit(.attempts(on: user.id), opening.items)
                if try check.recordFailure(auth, on: trail, caller, at: now) {
                    throw .secondFactor(.wrongCode)
                }
                opening = try again(keys, link)
                continue
            }

            // 3. Ask the application.
            let approval = try hook.approval(
                of: user, by: pending.provider,
                provenBy: [pending.method].compactMap(\.self) + [proof.method])

            // 4. Close: the session. Ticket and code are consumed in the same transaction.
            let history = try auth.history(of: user, first: opening.page)
            var audit = try auth.audit(.account(user.id), opening.items)
            let session = try OpenedSession(
                auth,
                SessionPermit(proof, after: pending.method, of: user, approval, at: now),
                pending, history, signer, &audit, caller, at: now)
            audit.record(.signedIn, session: session.id, caller, detail: check.method, at: now)
            if check.stopsRemoval {
                audit.record(
                    .secondFactorRemovalStopped, session: session.id, caller, at: now)
            }
            let notice =
                check.usedRecoveryCode
                ? try auth.notice(.secondFactorChanged, to: user, caller, at: now) : .none
            let closing =
                [
                    .delete(ticket.key, when: [.present]), check.write(),
                    .check(StoreLayout.profile(user.id), when: UserRecord.unchanged(user)),
                ] + session.writes + notice.writes
            if try auth.commit(closing, &audit) {
                notice.deliver()
                session.notice.deliver()
                return try session.tokens(for: user, at: now)
            }
            // 5. The ticket or the code was used concurrently, or the account was changed.
            opening = try again(keys, link)
        }
        throw .unavailable(.contention)
    }

    private func again(
        _ keys: [ItemKey], _ link: AccountLink
    ) throws(AuthError) -> Opening {
        try auth.open(
            .secondFactor, counting: [], reading: keys, listing: auth.sessionsQuery(link.user))
    }

    /// The account and the factor of a ticket. Throws if the ticket is no longer valid.
    private func found(
        _ items: ReadItems, _ link: AccountLink
    ) throws(AuthError) -> (ticket: Item, pending: PendingSignIn, user: User, factor: Item) {
        guard let ticket = items[link.key(.secondFactor)], let user = try items.user(link.user),
            let factor = items[StoreLayout.secondFactor(of: link.user)]
        else { throw .secondFactor(.ticketInvalid) }
        return (ticket, try auth.pendingSignIn(ticket, of: user), user, factor)
    }
}

extension AuthServices {
    package var completeSignIn: CompleteSignIn { CompleteSignIn(auth: self) }
}

extension AuthOperation {
    /// Its limit per account counts wrong codes, in the factor's row.
    package static let secondFactor = AuthOperation(
        "secondFactor", servedBy: "second-factor", counting: [.address, .account],
        audited: .others)
}
