package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Adds an identity to an account in a contract without sessions: one identity token proves the
/// account, another the identity that is added.
package struct LinkByTokens: Sendable {
    let auth: AuthServices

    /// - Parameters:
    ///   - proof: the identity token of an identity of the account.
    ///   - added: the identity token of the identity to add.
    package func callAsFunction(
        _ proof: IdentityProof, adding added: IdentityProof, _ caller: Caller
    ) throws(AuthError) -> User {
        // 1. Verify both tokens. An invalid token counts for the client's address as a valid one
        //    does.
        let (own, other) = (try verified(proof, caller), try verified(added, caller))
        guard !other.isSame(as: own) else { throw .method(.alreadyAdded) }

        // 2. Open: count, check that the tokens are unused, and find the owners of the identities.
        let ownLookup = IdentityLookup(
            own, nonce: auth.issuedNonce(proof.nonce), claimsEmail: false)
        let otherLookup = IdentityLookup(
            other, nonce: auth.issuedNonce(added.nonce), claimsEmail: false)
        for attempt in auth.attempts {
            let opening = try auth.open(
                .linkByTokens, counting: attempt > 0 ? [] : [(.address, caller.address)],
                reading: ownLookup.keys + otherLookup.keys)
            try opening.admit()
            let found = opening.items
            for lookup in [ownLookup, otherLookup] { try lookup.refuseUsed(found) }
            guard let owner = try auth.owner(found[ownLookup.ownerKey]) else {
                throw .method(.accountNotFound)
            }

            // 3. A second read: the identity's row contains only the account's ID.
            let reading = try auth.open(
                .linkByTokens, counting: attempt > 0 ? [] : [(.account, owner.text)],
                reading: [StoreLayout.profile(owner), AuditChain.account(owner).headKey])
            guard let user = try reading.items.user(owner) else {
                throw .fault(.storedDataUnreadable)
            }
            guard user.deletedAt == nil, user.has(own) else { throw .method(.accountNotFound) }
            guard !user.isDisabled else { throw .account(.disabled) }
            guard !user.hasSecondFactor else { throw .secondFactor(.required) }
            try reading.admit()
            try auth.refuseLinked(
                other, to: user, owner: try auth.owner(found[otherLookup.ownerKey]))

            // 4. Close: write the identity, the account, and the consumed tokens.
            var audit = try auth.audit(.account(owner), reading.items)
            let link = try IdentityLink(
                auth, other, to: user, by: nil, otherLookup, &audit, caller, at: auth.clock.now())
            guard try auth.commit(link.writes + ownLookup.consumption, &audit) else { continue }
            link.notice.deliver()
            return link.user
        }
        throw .unavailable(.contention)
    }

    private func verified(
        _ proof: IdentityProof, _ caller: Caller
    ) throws(AuthError) -> VerifiedIdentity {
        do {
            return try auth.verified(proof)
        } catch {
            if case .signIn(.identityRejected) = error {
                try auth.open(.linkByTokens, counting: [(.address, caller.address)]).admit()
            }
            throw error
        }
    }
}

extension VerifiedIdentity {
    fileprivate func isSame(as other: VerifiedIdentity) -> Bool {
        issuer.utf8.elementsEqual(other.issuer.utf8)
            && subject.utf8.elementsEqual(other.subject.utf8)
    }
}

extension AuthServices {
    package var linkByTokens: LinkByTokens { LinkByTokens(auth: self) }
}

extension AuthOperation {
    package static let linkByTokens = AuthOperation(
        "linkByTokens", servedBy: "signin", counting: [.address, .account],
        audited: .others)
}
