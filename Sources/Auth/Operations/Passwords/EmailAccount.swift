internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// An account that signs in by its e-mail address, and its active sessions, as one read found them.
struct EmailAccount {
    let user: User
    /// nil where only mailed links sign in.
    let password: Item?
    let sessions: [SessionFamily]

    var hash: String? {
        get throws(AuthError) {
            guard let password else { return nil }
            return try stored { () throws(StoreFailure) in try PasswordRecord.hash(password) }
        }
    }
}

extension AuthServices {
    /// - Parameter owner: nil for an address without an account, of which as much is read.
    /// - Returns: nil where there is no account, or one that only signs in otherwise.
    func emailAccount(
        _ owner: UserID?, _ operation: AuthOperation
    ) throws(AuthError) -> EmailAccount? {
        let id = owner ?? UserID(random: random)
        let opening = try open(
            operation, counting: [],
            reading: [StoreLayout.profile(id), StoreLayout.password(of: id)],
            listing: sessionsQuery(id))
        guard let profile = opening.items[0] else { return nil }
        let user = try stored { () throws(StoreFailure) in try UserRecord.user(profile, id: id) }
        guard user.deletedAt == nil, user.identities.contains(where: \.isPassword) else {
            return nil
        }
        return EmailAccount(
            user: user, password: opening.items[1],
            sessions: try sessions(of: user, first: opening.page))
    }
}
