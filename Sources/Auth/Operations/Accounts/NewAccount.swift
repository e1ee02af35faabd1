internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// An account that is about to be created, and its rows. Its claims and its profile are written
/// only if they are absent, so of two requests that create the same account only one succeeds.
struct NewAccount {
    let user: User
    let writes: [Write]
}

extension NewAccount {
    /// - Parameter login: the address that the account claims. The writes fail if it is taken.
    init(
        _ auth: AuthServices, id: UserID? = nil, email: String?, isEmailVerified: Bool,
        login: String?, displayName: String?, identities: [LinkedIdentity],
        passkeyHandle: [UInt8]? = nil, isGuest: Bool = false, role: AdminRole? = nil,
        at now: Instant
    ) throws(AuthError) {
        var user = User(
            id: id ?? UserID(random: auth.random), email: email, isEmailVerified: isEmailVerified,
            displayName: displayName, identities: identities, createdAt: now)
        user.login = login
        user.passkeyHandle = passkeyHandle
        user.isGuest = isGuest
        user.adminRole = role
        var writes: [Write] = []
        if auth.policy.accounts.hasPublicID {
            let id = try auth.nextPublicID(at: now)
            user.publicID = id
            // The counter may have lost an increment in a power failure, so this row decides.
            writes.append(Self.owner(StoreLayout.publicID(id), user))
        }
        if let login = user.loginAddress {
            writes.append(Self.owner(StoreLayout.emailClaim(login), user))
        }
        if auth.policy.accounts.isListed {
            writes.append(.put(Item(StoreLayout.directory(user), [:]), when: []))
        }
        writes += auth.policy.accounts.userIndex(from: nil, to: user)
        writes += auth.policy.accounts.roleIndex(of: user, from: nil)
        writes.append(.put(UserRecord.item(user), when: [.absent]))
        self.init(user: user, writes: writes)
    }

    private static func owner(_ key: ItemKey, _ user: User) -> Write {
        .put(Item(key, ["user": .text(user.id.text)]), when: [.absent])
    }
}

extension AuthServices {
    fileprivate func nextPublicID(at now: Instant) throws(AuthError) -> Int64 {
        try store.increment(
            StoreLayout.publicIDCounter, by: 1, expiresAt: now + .days(365_000))
    }

    /// The account that an item names as the owner.
    func owner(_ item: Item?) throws(AuthError) -> UserID? {
        guard let item else { return nil }
        guard case .text(let text)? = item.attributes["user"], let id = UserID(parsing: text) else {
            throw .fault(.storedDataUnreadable)
        }
        return id
    }
}
