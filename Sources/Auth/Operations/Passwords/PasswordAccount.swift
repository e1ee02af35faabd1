internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// An account with the hash of its password and the sessions that are alive, as one read found them.
struct PasswordAccount {
    let user: User
    let password: Item
    let history: SignInHistory

    var hash: String {
        get throws(AuthError) {
            try stored { () throws(StoreFailure) in try PasswordRecord.hash(password) }
        }
    }
}

extension AuthServices {
    /// - Parameter owner: nil for an address without an account, of which as much is read.
    /// - Returns: nil where there is no account, or none with a password.
    func passwordAccount(
        _ owner: UserID?, _ operation: AuthOperation
    ) throws(AuthError) -> PasswordAccount? {
        let id = owner ?? UserID(random: random)
        let opening = try open(
            operation, counting: [],
            reading: [StoreLayout.profile(id), StoreLayout.password(of: id)],
            listing: sessionsQuery(id))
        guard let profile = opening.items[0], let password = opening.items[1] else { return nil }
        let user = try stored { () throws(StoreFailure) in try UserRecord.user(profile, id: id) }
        guard user.deletedAt == nil else { return nil }
        return PasswordAccount(
            user: user, password: password,
            history: try history(of: user, first: opening.page))
    }
}
