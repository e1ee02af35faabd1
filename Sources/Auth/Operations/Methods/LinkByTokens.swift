package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Adds an identity to an account in a contract without sessions: the identity token of each proves
/// the account and what is added to it.
package struct LinkByTokens: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// - Parameters:
    ///   - proof: of an identity that signs in to the account.
    ///   - added: of the one that shall.
    package func callAsFunction(
        _ proof: IdentityProof, adding added: IdentityProof, _ caller: Caller
    ) throws(AuthError) -> User {
        // 1. Verify both tokens. An invalid one counts for the client's address like a valid one.
        let (own, other) = (try verified(proof, caller), try verified(added, caller))
        guard !other.isSame(as: own) else { throw .method(.alreadyAdded) }

        // 2. Open: count, check that the tokens are unused, and find whose the identities are.
        let lookups = [(own, proof), (other, added)].map { identity, proof in
            IdentityLookup(
                identity, nonce: auth.issuedNonce(proof.nonce), claimsEmail: false)
        }
        for attempt in auth.attempts {
            let opening = try auth.open(
                .linkByTokens, counting: attempt > 0 ? [] : [(.address, caller.address)],
                reading: lookups[0].keys + lookups[1].keys)
            try opening.admit()
            let found = [
                Array(opening.items.prefix(lookups[0].keys.count)),
                Array(opening.items.dropFirst(lookups[0].keys.count)),
            ]
            for (lookup, items) in zip(lookups, found) { try lookup.refuseUsed(items) }
            guard let owner = try auth.owner(found[0][0]) else { throw .method(.accountNotFound) }

            // 3. A second read: the identity's row only has the account's ID.
            let reading = try auth.open(
                .linkByTokens, counting: attempt > 0 ? [] : [(.account, owner.text)],
                reading: [StoreLayout.profile(owner), AuditChain.account(owner).headKey])
            guard let item = reading.items[0] else { throw .fault(.storedDataUnreadable) }
            let user = try stored { () throws(StoreFailure) in
                try UserRecord.user(item, id: owner)
            }
            guard user.deletedAt == nil, user.has(own) else { throw .method(.accountNotFound) }
            guard !user.isDisabled else { throw .account(.disabled) }
            guard !user.hasSecondFactor else { throw .secondFactor(.required) }
            try reading.admit()
            try auth.refuseLinked(other, to: user, owner: try auth.owner(found[1][0]))

            // 4. Close: the identity, the account, and the consumed tokens.
            var audit = try auth.audit(.account(owner), head: reading.items[1])
            let link = try IdentityLink(
                auth, other, to: user, by: nil, lookups[1], &audit, caller, at: auth.clock.now())
            guard try auth.commit(link.writes + lookups[0].consumption, &audit) else { continue }
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
    package var linkByTokens: LinkByTokens { LinkByTokens(self) }
}

extension AuthOperation {
    package static let linkByTokens = AuthOperation(
        "linkByTokens", servedBy: "signin", counting: [.address, .account],
        audited: .others)
}
