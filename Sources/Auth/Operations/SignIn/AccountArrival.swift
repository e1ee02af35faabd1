internal import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// The account of a verified identity: an existing one, or a new one to be created.
struct AccountArrival {
    let user: User
    let isNewUser: Bool
    /// The account's active sessions, most recently used first.
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
    /// - Parameter countsAccount: once per sign-in, even if races are lost.
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
        self = .returning(known, sessions, identity, input, at: now)
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
            // A power failure may have lost an addition to the counter, so this row ensures
            // uniqueness.
            writes.append(
                .put(
                    Item(StoreLayout.publicID(id), ["user": .text(user.id.text)]), when: [.absent]))
        }
        if let key = lookup.emailClaimKey, !lookup.isEmailClaimed(found) {
            writes.append(.put(Item(key, ["user": .text(user.id.text)]), when: [.absent]))
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

    /// A token may have a newer e-mail address. A known name is kept: Apple sends it at the first
    /// sign-in only, and later requests could contain anything.
    private static func returning(
        _ known: User, _ sessions: [SessionFamily], _ identity: VerifiedIdentity,
        _ input: SignIn.Input, at now: Instant
    ) -> AccountArrival {
        var user = known
        if let email = identity.email {
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
        let write = UserRecord.replacing(known) { $0 = user }
        user.revision = known.revision + 1
        return AccountArrival(user: user, isNewUser: false, sessions: sessions, writes: [write])
    }
}
