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
        var ending = try SecondFactorEnding(auth, caller)

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

        for _ in auth.attempts {
            let now = auth.clock.now()
            let (ticket, pending, user, item) = try found(opening.items, link)
            let factor = try decoded(SecondFactorRecord.factor(item))

            // 2. Judge the answer. A wrong answer does not consume the ticket, and is counted
            //    before the response.
            let check = try SecondFactorCheck(auth, answer, item, factor, of: user, at: now)
            guard let proof = check.proof else {
                let trail = try auth.audit(.attempts(on: user.id), opening.items)
                if try check.recordFailure(auth, on: trail, caller, at: now) {
                    throw .secondFactor(.wrongCode)
                }
                opening = try again(keys, link)
                continue
            }

            // 3. Ask the application, and close: write the session. Ticket and code are consumed in
            //    the same transaction.
            let notice =
                check.usedRecoveryCode
                ? try auth.recoveryCodeNotice(to: user, caller, at: now) : .none
            let proven = ProvenSecondFactor(
                proof: .code(proof), pending: pending, user: user, detail: check.method,
                audit: try auth.audit(.account(user.id), opening.items),
                writes: [.delete(ticket.key, when: [.present]), check.write()],
                stopsRemoval: check.stopsRemoval,
                history: try auth.history(of: user, first: opening.page), notice: notice)
            if let tokens = try ending.close(proven, at: now) { return tokens }
            // 4. The ticket or the code was used concurrently, or the account was changed.
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
    /// The limit per account counts only wrong codes, and its counter is in the factor's row.
    package static let secondFactor = AuthOperation(
        "secondFactor", servedBy: "second-factor", counting: [.address, .account],
        audited: .others)
}
