package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Adds a provider's identity to the account of a signed-in user: the access token of a recent
/// sign-in proves the account, and the identity token proves the identity. E-mail addresses are not
/// compared. A guest account gets the address of its first identity, as a new account would.
package struct LinkIdentity: Sendable {
    let auth: AuthServices

    package struct Input: Sendable {
        package var proof: IdentityProof
        package var authorizationCode: String?
        /// The result of exchanging a code from the pages.
        package var codeExchange: CodeExchange?

        package init(_ proof: IdentityProof, authorizationCode: String? = nil) {
            self.proof = proof
            self.authorizationCode = authorizationCode
        }
    }

    package enum Output: Sendable {
        case added(SignInMethods)
        /// The identity belongs to another account; the ticket allows a merge into it.
        case inUse(MergeTicket)

        /// The methods, for contracts without merges.
        package var methods: SignInMethods {
            get throws(AuthError) {
                guard case .added(let methods) = self else { throw .method(.takenByOtherAccount) }
                return methods
            }
        }
    }

    package func callAsFunction(
        _ input: Input, _ caller: Caller
    ) throws(AuthError) -> Output {
        // 1. Verify both tokens. An invalid identity token counts as a valid one does.
        _ = try auth.authenticate.claims(caller)
        let identity = try auth.verified(input.proof, for: .linkIdentity, by: caller)

        // 2. Open: authenticate, check that the token is unused, and find the owner of the
        //    identity.
        let lookup = IdentityLookup(
            identity, nonce: auth.issuedNonce(input.proof.nonce),
            claimsEmail: auth.policy.accounts.claimsEmail && auth.policy.guests != nil)
        var exchange: CodeExchange?
        for attempt in auth.attempts {
            let (principal, items) = try auth.authenticate.open(
                caller, for: .linkIdentity, attempt: attempt
            ) { user in lookup.keys + [StoreLayout.password(of: user)] }
            let now = auth.clock.now()
            try auth.requireRecentSignIn(principal, at: now)
            let user = principal.user
            try lookup.refuseUsed(items)
            var audit = auth.audit(.account(user.id), principal.auditHead)
            let owner = try auth.owner(items[lookup.ownerKey])
            if let owner, owner != user.id {
                let ticket = try offerMerge(
                    of: principal, into: owner, identity, lookup, &audit, caller, at: now)
                guard let ticket else { continue }
                return .inUse(ticket)
            }
            try auth.refuseLinked(identity, to: user, owner: owner)

            // 3. Get the provider's own refresh token, to be revoked with the account or the
            //    identity. A code is valid once.
            if attempt == 0 {
                exchange = try auth.exchange(
                    input.authorizationCode, or: input.codeExchange, identity)
            }

            // 4. Close: write the identity, the account, and the consumed token and nonce. The
            //    session must not have ended in the meantime.
            let link = try IdentityLink(
                auth, identity, to: user, by: principal.session, lookup,
                isEmailFree: lookup.emailClaimKey != nil && !lookup.isEmailClaimed(items), &audit,
                caller, at: now)
            var writes = link.writes
            writes.append(
                .check(StoreLayout.session(principal.session.id, of: user.id), when: [.present]))
            writes += try auth.keep(exchange, of: identity, in: user.id)
            // If the identity was linked or the token was used in the meantime, the next attempt
            // finds that.
            guard try auth.commit(writes, &audit) else { continue }
            link.notice.deliver()
            return .added(
                SignInMethods(
                    of: link.user, hasPassword: items[StoreLayout.password(of: user.id)] != nil))
        }
        throw .unavailable(.contention)
    }

    /// Returns nil if another request changed the rows first.
    private func offerMerge(
        of principal: Principal, into owner: UserID, _ identity: VerifiedIdentity,
        _ lookup: IdentityLookup, _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) -> MergeTicket? {
        let offer = try MergeOffer(
            auth, of: principal, into: owner, provider: identity.provider, .identityProvider,
            at: now, signsIn: { $0.has(identity) })
        guard let offer else { throw .method(.takenByOtherAccount) }
        let session = principal.session.id
        audit.record(
            .mergeOffered, session: session, caller, detail: identity.provider, at: now)
        let writes =
            [
                offer.write,
                .check(lookup.ownerKey, when: [.equals("user", .text(owner.text))]),
                .check(StoreLayout.session(session, of: principal.user.id), when: [.present]),
            ] + lookup.consumption
        return try auth.commit(writes, &audit) ? offer.ticket : nil
    }
}

/// The writes that add an identity to an account.
struct IdentityLink {
    let user: User
    let writes: [Write]
    let notice: OwnerNotice
}

extension IdentityLink {
    /// - Parameters:
    ///   - session: nil in a contract without sessions, which has no mail either.
    ///   - isEmailFree: whether a guest claims the address of the identity.
    init(
        _ auth: AuthServices, _ identity: VerifiedIdentity, to known: User,
        by session: Session?, _ lookup: IdentityLookup, isEmailFree: Bool = false,
        _ audit: inout AuditTrail, _ caller: Caller, at now: Instant
    ) throws(AuthError) {
        let change = try MethodChange(
            auth, of: known, .methodAdded, .provider(identity.provider), by: session, &audit,
            caller, at: now
        ) { user in
            user.identities.append(
                LinkedIdentity(
                    provider: identity.provider, issuer: identity.issuer,
                    subject: identity.subject))
            if known.isGuest { user.adopt(identity, isEmailFree: isEmailFree) }
        }
        // If two accounts link one identity at the same time, only one succeeds.
        let owner = Item(lookup.ownerKey, ["user": .text(known.id.text)])
        self.init(
            user: change.user,
            writes: [.put(owner, when: [.absent])] + change.writes + lookup.consumption
                + known.addressWrites(of: change.user, auth.policy.accounts, at: now),
            notice: change.notice)
    }
}

extension User {
    /// Sets the attributes that a new account with the identity would have.
    fileprivate mutating func adopt(_ identity: VerifiedIdentity, isEmailFree: Bool) {
        email = identity.email
        isEmailVerified = identity.email != nil && identity.isEmailVerified
        login = isEmailFree ? identity.email : nil
        displayName = displayName ?? identity.displayName
    }

    /// There are no writes, unless a guest has been given an address.
    fileprivate func addressWrites(
        of changed: User, _ policy: AccountPolicy, at now: Instant
    ) -> [Write] {
        guard isGuest else { return [] }
        return movingClaims(to: changed, at: now)
            + policy.userIndex(from: self, to: changed)
    }
}

extension AuthServices {
    /// An account has at most one identity of each provider, and an identity at most one account.
    func refuseLinked(
        _ identity: VerifiedIdentity, to user: User, owner: UserID?
    ) throws(AuthError) {
        if let owner, owner != user.id { throw .method(.takenByOtherAccount) }
        if owner != nil || user.subject(at: identity.provider) != nil {
            throw .method(.alreadyAdded)
        }
    }

    package var linkIdentity: LinkIdentity { LinkIdentity(auth: self) }
}

extension AuthOperation {
    package static let linkIdentity = AuthOperation(
        "linkIdentity", servedBy: "link", audited: .caller)
}
