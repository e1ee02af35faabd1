internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time
package import WebAuthn

/// Completes a sign-in whose first factor is proven with a passkey instead of a code. A sign-in
/// that began with a passkey needs another kind of factor.
package struct CompleteSignInWithPasskey: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        ticket: String, ceremony: String, _ response: AssertionResponse, _ caller: Caller
    ) throws(AuthError) -> SessionTokens {
        var ending = try SecondFactorEnding(auth, caller)
        let identity = LinkedIdentity.passkey(
            response.id, at: try auth.passkeys.relyingParty.id)

        // 1. Open: count, use up the ceremony, and find the ticket, its account and the passkey.
        let link = AccountLink(parsing: ticket)
        let secret = CeremonySecret(parsing: ceremony)
        let opening = try auth.open(
            .secondFactor, counting: [(.address, caller.address)],
            reading: (secret.map { [$0.key] } ?? []) + (link.map { keys($0, identity) } ?? []),
            listing: link.map { auth.sessionsQuery($0.user) }, provenBy: caller.key,
            using: try auth.use(of: secret))
        try opening.admit()
        guard let link else { throw .secondFactor(.ticketInvalid) }
        let begun = try auth.ceremony(secret, opening.items, for: .secondFactor)
        guard let secret, begun.user == link.user else { throw .passkey(.ceremonyInvalid) }
        let (pending, user) = try found(opening.items, link)
        guard pending.passkey == nil, begun.epoch == user.epoch else {
            throw .passkey(.ceremonyInvalid)
        }

        // 2. The signature.
        let rowKey = StoreLayout.passkey(identity.subject, of: user.id)
        let used = try auth.verified(
            response, opening.items[rowKey], of: user, begun,
            recordingIn: try auth.audit(.attempts(on: user.id), opening.items), caller)

        // 3. Ask the application, and close: write the session. Ticket and ceremony are used up in
        //    the same write.
        let stop = try RemovalStop(
            used.proof, opening.items[StoreLayout.secondFactor(of: user.id)], of: user)
        let proven = ProvenSecondFactor(
            proof: .passkey(used.proof), pending: pending, user: user, detail: "passkey",
            audit: try auth.audit(.account(user.id), opening.items),
            writes: [
                .delete(link.key(.secondFactor), when: [.present]),
                .delete(secret.key, when: [.present]), used.write,
            ] + [stop?.write].compactMap(\.self), stopsRemoval: stop != nil,
            history: try auth.history(of: user, first: opening.page))
        guard let tokens = try ending.close(proven, at: auth.clock.now()) else {
            // The ticket or the passkey was used concurrently, or the account was changed.
            throw .secondFactor(.ticketInvalid)
        }
        return tokens
    }

    private func keys(_ link: AccountLink, _ identity: LinkedIdentity) -> [ItemKey] {
        [
            link.key(.secondFactor), StoreLayout.profile(link.user),
            StoreLayout.passkey(identity.subject, of: link.user),
            StoreLayout.secondFactor(of: link.user),
            AuditChain.account(link.user).headKey, AuditChain.attempts(on: link.user).headKey,
        ]
    }

    private func found(
        _ items: ReadItems, _ link: AccountLink
    ) throws(AuthError) -> (PendingSignIn, User) {
        guard let ticket = items[link.key(.secondFactor)], let user = try items.user(link.user)
        else { throw .secondFactor(.ticketInvalid) }
        return (try auth.pendingSignIn(ticket, of: user), user)
    }
}

extension AuthServices {
    /// The sign-in that a ticket completes, if the ticket is still valid.
    func pendingSignIn(_ ticket: Item, of user: User) throws(AuthError) -> PendingSignIn {
        let pending = try decoded(PendingSignIn(ticket))
        guard user.deletedAt == nil, user.hasSecondFactor, pending.epoch == user.epoch else {
            throw .secondFactor(.ticketInvalid)
        }
        // If the first passkey was removed since then, the sign-in fails.
        if let passkey = pending.passkey, !user.hasPasskey(passkey) {
            throw .secondFactor(.ticketInvalid)
        }
        guard !user.isDisabled else { throw .account(.disabled) }
        return pending
    }

    package var completeSignInWithPasskey: CompleteSignInWithPasskey {
        CompleteSignInWithPasskey(auth: self)
    }
}
