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

/// What the address of a sign-in leads to.
struct PasswordLookup {
    /// nil where there is no account, or none with a password.
    let account: PasswordAccount?
    /// What was done with the account.
    let audit: AuditTrail
    /// What was tried with the account, or with the address where there is none.
    let attempts: AuditTrail
}

extension AuthServices {
    /// - Parameter owner: nil for an address without an account, of which as much is read.
    func passwordLookup(
        _ email: EmailAddress, _ owner: UserID?, _ operation: AuthOperation
    ) throws(AuthError) -> PasswordLookup {
        let id = owner ?? UserID(random: random)
        let chain = AuditChain.account(id)
        let attempts = owner.map(AuditChain.attempts(on:)) ?? .email(email)
        let opening = try open(
            operation, counting: [],
            reading: [
                StoreLayout.profile(id), StoreLayout.password(of: id), chain.headKey,
                attempts.headKey,
            ],
            listing: sessionsQuery(id))
        return PasswordLookup(
            account: try passwordAccount(id, opening),
            audit: try audit(chain, head: opening.items[2]),
            attempts: try audit(attempts, head: opening.items[3]))
    }

    private func passwordAccount(
        _ id: UserID, _ opening: Opening
    ) throws(AuthError) -> PasswordAccount? {
        guard let profile = opening.items[0], let password = opening.items[1] else { return nil }
        let user = try stored { () throws(StoreFailure) in try UserRecord.user(profile, id: id) }
        guard user.deletedAt == nil else { return nil }
        return PasswordAccount(
            user: user, password: password,
            history: try history(of: user, first: opening.page))
    }
}
