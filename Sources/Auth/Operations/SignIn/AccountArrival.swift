internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// The account behind a verified identity: a known one, or one that is about to be made.
struct AccountArrival {
    let user: User
    let isNewUser: Bool
    /// The account's sessions that are alive, the most recently used first.
    let sessions: [SessionFamily]
    let writes: [Write]

    private init(user: User, isNewUser: Bool, sessions: [SessionFamily], writes: [Write]) {
        self.user = user
        self.isNewUser = isNewUser
        self.sessions = sessions
        self.writes = writes
    }
}

extension AccountArrival {
    /// - Parameter countsAccount: once per sign-in, however often a race is lost.
    init(
        _ auth: AuthServices, _ identity: VerifiedIdentity, _ input: SignIn.Input,
        _ lookup: IdentityLookup, _ found: [Item?], countsAccount: Bool, at now: Instant
    ) throws(AuthError) {
        guard let owner = try lookup.owner(found) else {
            self = try .new(auth, identity, input, lookup, found, replacing: nil, at: now)
            return
        }
        let account = "\(identity.issuer) \(identity.subject)"
        let opening = try auth.open(
            .signIn, counting: countsAccount ? [(.account, account)] : [],
            reading: [StoreLayout.profile(owner)], listing: auth.sessionsQuery(owner))
        guard let item = opening.items[0] else { throw .fault(.storedDataUnreadable) }
        let known = try stored { () throws(StoreFailure) in try UserRecord.user(item, id: owner) }
        guard known.deletedAt == nil else {
            self = try .new(auth, identity, input, lookup, found, replacing: owner, at: now)
            return
        }
        guard !known.isDisabled else { throw .account(.disabled) }
        try opening.admit()
        let sessions = try auth.sessions(of: known, first: opening.page)
        self = .returning(
            known, sessions, identity, input, auth.policy.accounts, at: now)
    }

    private static func new(
        _ auth: AuthServices, _ identity: VerifiedIdentity, _ input: SignIn.Input,
        _ lookup: IdentityLookup, _ found: [Item?], replacing deleted: UserID?, at now: Instant
    ) throws(AuthError) -> AccountArrival {
        var user = User(
            id: UserID(random: auth.random), email: identity.email,
            isEmailVerified: identity.email != nil && identity.isEmailVerified,
            displayName: input.fullName?.displayName ?? identity.displayName,
            identities: [
                LinkedIdentity(
                    provider: identity.provider, issuer: identity.issuer,
                    subject: identity.subject)
            ], createdAt: now)
        let owner = Item(lookup.ownerKey, ["user": .text(user.id.text)])
        var writes: [Write] = [
            .put(owner, when: [deleted.map { .equals("user", .text($0.text)) } ?? .absent])
        ]
        if auth.policy.accounts.hasPublicID {
            let id = try nextPublicID(auth, at: now)
            user.publicID = id
            // The counter may have lost an addition in a power cut; this row decides.
            writes.append(
                .put(
                    Item(StoreLayout.publicID(id), ["user": .text(user.id.text)]), when: [.absent]))
        }
        if let key = lookup.emailClaimKey, !lookup.isEmailClaimed(found) {
            writes.append(.put(Item(key, ["user": .text(user.id.text)]), when: [.absent]))
        }
        if auth.policy.accounts.isListed {
            writes.append(.put(Item(StoreLayout.directory(user), [:]), when: []))
            if let email = user.email {
                writes.append(.put(Item(StoreLayout.emailUser(email, user.id), [:]), when: []))
            }
        }
        writes.append(.put(UserRecord.item(user), when: [.absent]))
        return AccountArrival(user: user, isNewUser: true, sessions: [], writes: writes)
    }

    private static func nextPublicID(
        _ auth: AuthServices, at now: Instant
    ) throws(AuthError) -> Int64 {
        try stored { () throws(StoreFailure) in
            try auth.store.increment(
                StoreLayout.publicIDCounter, by: 1, expiresAt: now + .days(365_000))
        }
    }

    /// A token may bring a newer e-mail address, except where addresses are claimed: there the account
    /// keeps the one that it was made with. A name is kept once it is known: Apple tells it at the
    /// first sign-in only, and the request could say anything later.
    private static func returning(
        _ known: User, _ sessions: [SessionFamily], _ identity: VerifiedIdentity,
        _ input: SignIn.Input, _ policy: AccountPolicy, at now: Instant
    ) -> AccountArrival {
        var user = known
        if let email = identity.email, !policy.claimsEmail {
            user.email = email
            user.isEmailVerified = identity.isEmailVerified
        }
        user.displayName =
            known.displayName ?? input.fullName?.displayName ?? identity.displayName
        guard user != known else {
            return AccountArrival(
                user: known, isNewUser: false, sessions: sessions,
                writes: [
                    .check(StoreLayout.profile(known.id), when: UserRecord.unchanged(known))
                ])
        }
        user.updatedAt = now
        var writes = [UserRecord.replacing(known) { $0 = user }]
        if policy.isListed, let email = user.email, known.email != email {
            if let old = known.email {
                let key = StoreLayout.emailUser(old, user.id)
                // Two spellings of one address have one row.
                if key != StoreLayout.emailUser(email, user.id) {
                    writes.append(.delete(key, when: []))
                }
            }
            writes.append(.put(Item(StoreLayout.emailUser(email, user.id), [:]), when: []))
        }
        user.revision = known.revision + 1
        return AccountArrival(user: user, isNewUser: false, sessions: sessions, writes: writes)
    }
}
