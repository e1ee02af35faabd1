package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// Creates an account for an administrator, who vouches for the address, and mails its owner a
    /// link for choosing a password.
    package func createUser(
        _ email: EmailAddress, displayName: String?, because reason: String?,
        by administrator: Administrator, _ caller: Caller
    ) throws(AuthError) -> User {
        let claim = StoreLayout.emailClaim(email)
        let items = try store.get([claim] + administrator.keys)
        guard items[claim] == nil else { throw .account(.emailTaken) }
        let checks = try checks(of: administrator, items)
        let now = clock.now()
        let account = try NewAccount(
            self, email: email.text, isEmailVerified: true, login: email.folded,
            displayName: displayName.flatMap(PersonName.cleaned), identities: [.password(email)],
            at: now)
        var audit = audit(.account(account.user.id), .read(nil))
        audit.record(
            .accountCreated, caller, detail: "password", by: administrator.name, because: reason,
            at: now)
        guard try commit(account.writes + checks, &audit) else { throw .account(.emailTaken) }
        // The mail to the user does not contain the administrator's address, which the rate limit
        // still counts.
        try forgotPassword(
            email, Caller(address: caller.address), as: .invitation, hasCode: false)
        return account.user
    }
}

extension AuthOperation {
    package static let createUser = administration("createUser")
    package static let setUserName = administration("setUserName")
}
