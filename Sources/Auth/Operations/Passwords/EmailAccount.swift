internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// An account that signs in by its e-mail address, with its active sessions and devices, from one
/// read.
struct EmailAccount {
    let user: User
    /// nil if the account signs in only by mailed links.
    let password: Item?
    let history: SignInHistory

    var hash: String? {
        get throws(AuthError) {
            guard let password else { return nil }
            return try decoded(PasswordRecord.hash(password))
        }
    }
}

/// The result of looking up the address of a sign-in.
struct EmailLookup {
    /// nil if there is no account, or if it does not sign in by e-mail.
    let account: EmailAccount?
    /// The owner of the address if `account` is nil. nil for a disabled account.
    let otherwiseSignedIn: User?
    /// The chain of actions on the account.
    let audit: AuditTrail
    /// The chain of attempts on the account, or on the address if it has no account.
    let attempts: AuditTrail
    let items: ReadItems
    /// The limit of the mail budget that is exceeded, so that this request sends no mail.
    let mailWithheldBy: MailBudget.Limit?
}

extension AuthServices {
    /// - Parameters:
    ///   - owner: nil for an address without an account, for which the same amount is read.
    ///   - others: further keys for the same read.
    ///   - mail: how the request counts towards the mail budget.
    func emailLookup(
        _ email: EmailAddress, _ owner: UserID?, _ operation: AuthOperation,
        reading others: [ItemKey] = [], mailing mail: BudgetedMail? = nil
    ) throws(AuthError) -> EmailLookup {
        try emailLookup(
            owner ?? UserID(random: random), by: StoreLayout.emailClaim(email),
            attempts: owner.map(AuditChain.attempts(on:)) ?? .email(email), operation,
            reading: others, mailing: mail)
    }

    /// - Parameter claim: the row of the address. The address may be a former one of the account.
    func emailLookup(
        _ id: UserID, by claim: ItemKey, attempts: AuditChain, _ operation: AuthOperation,
        reading others: [ItemKey] = [], mailing mail: BudgetedMail? = nil
    ) throws(AuthError) -> EmailLookup {
        let chain = AuditChain.account(id)
        let opening = try open(
            operation, counting: [],
            reading: [
                StoreLayout.profile(id), StoreLayout.password(of: id), chain.headKey,
                attempts.headKey,
            ] + others,
            listing: sessionsQuery(id), mailing: mail)
        let user = try opening.items.user(id).flatMap { $0.deletedAt == nil ? $0 : nil }
        let account = try user.flatMap { user throws(AuthError) in
            try emailAccount(user, claim, opening)
        }
        return EmailLookup(
            account: account,
            otherwiseSignedIn: account == nil && user?.isDisabled == false ? user : nil,
            audit: try audit(chain, opening.items),
            attempts: try audit(attempts, opening.items),
            items: opening.items, mailWithheldBy: opening.withheldBy)
    }

    private func emailAccount(
        _ user: User, _ claim: ItemKey, _ opening: Opening
    ) throws(AuthError) -> EmailAccount? {
        guard user.identities.contains(where: \.isPassword), user.signsIn(with: claim) else {
            return nil
        }
        return EmailAccount(
            user: user, password: opening.items[StoreLayout.password(of: user.id)],
            history: try history(of: user, first: opening.page))
    }
}
