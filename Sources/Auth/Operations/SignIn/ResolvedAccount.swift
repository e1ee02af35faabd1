internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// The account of a verified identity: an existing one, or a new one to be created.
struct ResolvedAccount {
    let user: User
    let isNewUser: Bool
    /// The account is new, and its address belongs to another account.
    var isEmailTaken = false
    let history: SignInHistory
    private(set) var writes: [Write]
    /// The notice to deliver after the writes are committed.
    private(set) var notice = OwnerNotice.none
    /// The chain of actions on the account.
    let audit: AuditTrail

    private init(
        user: User, isNewUser: Bool, history: SignInHistory, writes: [Write],
        audit: AuditTrail
    ) {
        self.user = user
        self.isNewUser = isNewUser
        self.history = history
        self.writes = writes
        self.audit = audit
    }
}

extension ResolvedAccount {
    /// nil if the identity was removed from its account since it was looked up.
    ///
    /// - Parameter countsAccount: true once per sign-in, even if there are several attempts.
    init?(
        _ auth: AuthServices, _ identity: VerifiedIdentity, _ input: SignIn.Input,
        _ lookup: IdentityLookup, _ found: ReadItems, countsAccount: Bool, _ caller: Caller,
        at now: Instant
    ) throws(AuthError) {
        guard let owner = try auth.owner(found[lookup.ownerKey]) else {
            self = try .new(auth, identity, input, lookup, found, replacing: nil, at: now)
            return
        }
        let account = "\(identity.issuer) \(identity.subject)"
        let opening = try auth.open(
            .signIn, counting: countsAccount ? [(.account, account)] : [],
            reading: [StoreLayout.profile(owner), AuditChain.account(owner).headKey],
            listing: auth.sessionsQuery(owner))
        guard let known = try opening.items.user(owner) else {
            throw .fault(.storedDataUnreadable)
        }
        guard known.deletedAt == nil else {
            self = try .new(auth, identity, input, lookup, found, replacing: owner, at: now)
            return
        }
        guard known.has(identity) else { return nil }
        guard !known.isDisabled else { throw .account(.disabled) }
        try opening.admit()
        let history = try auth.history(of: known, first: opening.page)
        let audit = try auth.audit(.account(owner), opening.items)
        self = .returning(
            known, history, audit, identity, input, auth.policy.accounts,
            isEmailFree: !lookup.isEmailClaimed(found), at: now)
        guard auth.hasMail, known.emailAddress != nil, known.emailAddress != user.emailAddress
        else {
            return
        }
        notice = try auth.notice(
            .addressChanged, to: user, and: known, saying: ["method": identity.provider], caller,
            at: now)
        writes += notice.writes
    }

    private static func new(
        _ auth: AuthServices, _ identity: VerifiedIdentity, _ input: SignIn.Input,
        _ lookup: IdentityLookup, _ found: ReadItems, replacing deleted: UserID?, at now: Instant
    ) throws(AuthError) -> ResolvedAccount {
        let isFree = lookup.emailClaimKey != nil && !lookup.isEmailClaimed(found)
        let account = try NewAccount(
            auth, email: identity.email,
            isEmailVerified: identity.email != nil && identity.isEmailVerified,
            login: isFree ? identity.email : nil,
            displayName: input.fullName?.displayName ?? identity.displayName,
            identities: [
                LinkedIdentity(
                    provider: identity.provider, issuer: identity.issuer,
                    subject: identity.subject)
            ], at: now)
        let owner = Item(lookup.ownerKey, ["user": .text(account.user.id.text)])
        let condition: Condition = deleted.map { .equals("user", .text($0.text)) } ?? .absent
        var resolved = ResolvedAccount(
            user: account.user, isNewUser: true, history: SignInHistory(),
            writes: [.put(owner, when: [condition])] + account.writes,
            audit: auth.audit(.account(account.user.id), .read(nil)))
        resolved.isEmailTaken = lookup.isEmailClaimed(found)
        return resolved
    }

    /// A token may update the account's e-mail address, unless the contract keeps the original
    /// address, the account signs in with it or the user has chosen it. If there are several
    /// identities, the oldest decides. A name is never replaced: Apple sends it at the first
    /// sign-in only, and a later request could contain any name.
    ///
    /// The claim follows the address: the old address may since belong to another person, who must
    /// not get access to the account and must be able to register. If another account has the new
    /// address, the old claim is released. An address that the provider has not verified replaces
    /// no claim.
    private static func returning(
        _ known: User, _ history: SignInHistory, _ audit: AuditTrail,
        _ identity: VerifiedIdentity, _ input: SignIn.Input, _ policy: AccountPolicy,
        isEmailFree: Bool, at now: Instant
    ) -> ResolvedAccount {
        let followsProvider =
            policy.followsProvider && !known.hasChosenEmail
            && !known.identities.contains(where: \.isPassword)
            && known.identities.first?.isSame(as: identity) == true
        var user = known
        var claim: [Write] = []
        if let email = identity.email, followsProvider {
            // The user may have verified an address that the provider has not.
            let isProven = known.isEmailVerified && known.email == email
            user.email = email
            user.isEmailVerified = identity.isEmailVerified || isProven
            if identity.isEmailVerified, known.login != nil,
                known.loginAddress != user.emailAddress
            {
                user.login = isEmailFree && user.emailAddress != nil ? email : nil
                claim = known.movingClaims(to: user, at: now)
            }
        }
        user.displayName =
            known.displayName ?? input.fullName?.displayName ?? identity.displayName
        guard user != known else {
            return ResolvedAccount(
                user: known, isNewUser: false, history: history,
                writes: [
                    .check(StoreLayout.profile(known.id), when: UserRecord.unchanged(known))
                ], audit: audit)
        }
        user.updatedAt = now
        var writes = [UserRecord.replacing(known) { $0 = user }]
        writes += claim
        writes += policy.userIndex(from: known, to: user)
        user.revision = known.revision + 1
        return ResolvedAccount(
            user: user, isNewUser: false, history: history, writes: writes, audit: audit)
    }
}

extension User {
    /// Whether the identity signs in to the account.
    func has(_ identity: VerifiedIdentity) -> Bool {
        identities.contains { $0.isSame(as: identity) }
    }
}

extension LinkedIdentity {
    fileprivate func isSame(as identity: VerifiedIdentity) -> Bool {
        issuer.utf8.elementsEqual(identity.issuer.utf8)
            && subject.utf8.elementsEqual(identity.subject.utf8)
    }
}
