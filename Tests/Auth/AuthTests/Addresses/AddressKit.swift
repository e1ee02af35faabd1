import Testing

// Changes of addresses, for tests.
extension Policy {
    static func emailChanges(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
        .passkeys {
            $0.accounts.isListed = true
            $0.accounts.followsProvider = true
            $0.passwords?.registration = .afterVerification(repeatsPassword: true)
            $0.emailChanges = EmailChangePolicy()
            $0.mailCodes = MailCodePolicy()
            change(&$0)
        }
    }
}

extension AuthKit {
    /// - Returns: what the code of the mail works with.
    @discardableResult
    func ask(for email: String, by tokens: SessionTokens) throws -> String? {
        try auth.requestNewAddress(try self.email(email), caller(tokens))
    }

    /// Asks for another address.
    ///
    /// - Returns: the token of the mailed link.
    func newAddress(_ email: String, by tokens: SessionTokens) throws -> String {
        try ask(for: email, by: tokens)
        finishReply()
        return try mailedToken()
    }

    @discardableResult
    func confirm(_ token: String, by tokens: SessionTokens) throws -> User {
        try auth.verifyAddress(token: token, caller(tokens))
    }

    /// Changes the address, and returns the token that restores the former one.
    @discardableResult
    func moveTo(_ email: String, by tokens: SessionTokens) throws -> String {
        // A password of the same instant counts as one that was set since.
        clock.advance(by: .seconds(1))
        try confirm(try newAddress(email, by: tokens), by: tokens)
        finishReply()
        guard let token = undoToken else { throw KitFailure.noSession }
        return token
    }

    /// The link in the latest mail that has one.
    var undoToken: String? {
        let mails = mail.mails.filter { $0.kind == .emailChanged && $0.values["link"] != nil }
        guard let link = mails.last?.values["link"], let start = link.lastIndex(of: "=") else {
            return nil
        }
        return String(link[link.index(after: start)...])
    }

    func undo(_ token: String) throws(AuthError) {
        try auth.undoAddressChange(token: token, Caller(address: "192.0.2.1"))
    }

    /// The account that has claimed the address.
    func owner(of text: String) throws -> UserID? {
        let row = try store.get(StoreLayout.emailClaim(try email(text)))
        guard case .text(let id)? = row?.attributes["user"] else { return nil }
        return UserID(parsing: id)
    }

    func finds(_ user: UserID, by text: String) throws -> Bool {
        try auth.findUsers.users(withEmail: text).users.map(\.id) == [user]
    }

    /// The mails to an address, by kind.
    func mails(to address: String) -> [Mail.Kind] {
        mail.mails.filter { $0.to == address }.map(\.kind)
    }
}
