internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// An account that signs in by its e-mail address, its active sessions and devices, as one read
/// found them.
struct EmailAccount {
    let user: User
    /// nil where only mailed links sign in.
    let password: Item?
    let history: SignInHistory

    var hash: String? {
        get throws(AuthError) {
            guard let password else { return nil }
            return try decoded(PasswordRecord.hash(password))
        }
    }
}

/// What the address of a sign-in leads to.
struct EmailLookup {
    /// nil where there is no account, or one that only signs in otherwise.
    let account: EmailAccount?
    /// What was done with the account.
    let audit: AuditTrail
    /// What was tried with the account, or with the address where there is none.
    let attempts: AuditTrail
    let items: ReadItems
}

extension AuthServices {
    /// - Parameters:
    ///   - owner: nil for an address without an account, of which as much is read.
    ///   - others: in the same read.
    func emailLookup(
        _ email: EmailAddress, _ owner: UserID?, _ operation: AuthOperation,
        reading others: [ItemKey] = []
    ) throws(AuthError) -> EmailLookup {
        try emailLookup(
            owner ?? UserID(random: random),
            attempts: owner.map(AuditChain.attempts(on:)) ?? .email(email), operation,
            reading: others)
    }

    func emailLookup(
        _ id: UserID, attempts: AuditChain, _ operation: AuthOperation,
        reading others: [ItemKey] = []
    ) throws(AuthError) -> EmailLookup {
        let chain = AuditChain.account(id)
        let opening = try open(
            operation, counting: [],
            reading: [
                StoreLayout.profile(id), StoreLayout.password(of: id), chain.headKey,
                attempts.headKey,
            ] + others,
            listing: sessionsQuery(id))
        return EmailLookup(
            account: try emailAccount(id, opening),
            audit: try audit(chain, opening.items),
            attempts: try audit(attempts, opening.items),
            items: opening.items)
    }

    private func emailAccount(
        _ id: UserID, _ opening: Opening
    ) throws(AuthError) -> EmailAccount? {
        guard let user = try opening.items.user(id), user.deletedAt == nil,
            user.identities.contains(where: \.isPassword)
        else { return nil }
        return EmailAccount(
            user: user, password: opening.items[StoreLayout.password(of: id)],
            history: try history(of: user, first: opening.page))
    }
}
