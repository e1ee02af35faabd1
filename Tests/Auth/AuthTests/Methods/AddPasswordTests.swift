@Suite("Adding passwords") struct AddPasswordTests {
    private func add(
        _ kit: AuthKit, _ password: String = AuthKit.password, email: String? = nil,
        by tokens: SessionTokens
    ) throws -> AddPassword.Output {
        try kit.auth.addPassword(
            password, email: try email.map { try kit.email($0) }, kit.caller(tokens))
    }

    /// The token of the link for an address that is not the account's own.
    private func link(_ kit: AuthKit, _ email: String, by tokens: SessionTokens) throws -> String {
        try expectEqual(add(kit, email: email, by: tokens), .linkSent(try kit.email(email)))
        kit.finishReply()
        return try kit.mailedToken()
    }

    private func confirm(_ kit: AuthKit, _ token: String, by tokens: SessionTokens) throws {
        _ = try kit.auth.completeAddPassword(token: token, kit.caller(tokens))
    }

    // MARK: Another address

    @Test func `another address is proven by a mailed link, and replaces the claimed one`() throws {
        let policy = Policy.passwords().with { $0.accounts.isListed = true }
        let kit = try AuthKit(policy: policy)
        let tokens = try kit.session(of: "001")
        let token = try link(kit, "Ada@example.com", by: tokens)
        expectEqual(kit.mail.mails.last?.kind, .verifyEmail)
        expectEqual(kit.mail.mails.last?.values["link"]?.contains("/add-password?token="), true)
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        try confirm(kit, token, by: tokens)
        let user = try kit.logIn().user
        #expect(user.id == tokens.user.id && user.isEmailVerified)
        #expect(user.login == "ada@example.com" && user.email == "Ada@example.com")
        try expectEqual(
            kit.store.get(StoreLayout.emailClaim(try kit.email("001@example.com"))), nil)
        try expectEqual(
            kit.store.get(StoreLayout.emailUser(try kit.email("001@example.com"), user.id)), nil)
        #expect(
            try kit.store.get(StoreLayout.emailUser(try kit.email("ada@example.com"), user.id))
                != nil)
        kit.finishReply()
        // The owner of the old address learns of it.
        expectEqual(kit.mail.mails.last?.kind, .methodAdded)
        expectEqual(kit.mail.mails.last?.to, "001@example.com")
        try expectEqual(kit.methods(tokens), ["apple", "email", "password"])
    }

    @Test func `confirming the link adds the address to an account without one`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try #require(try kit.signIn("apple", "001").tokens)
        expectError(.method(.addressRequired)) { try add(kit, by: tokens) }
        try confirm(kit, try link(kit, "ada@example.com", by: tokens), by: tokens)
        try expectEqual(kit.logIn().user.id, tokens.user.id)
    }

    @Test func `only the owner learns that an address belongs to another account`() throws {
        let (kit, store) = try AuthKit.withCountingStore(.passwords())
        try kit.account()
        let tokens = try kit.session(of: "001")
        store.forget()
        let taken = try add(kit, email: "ada@example.com", by: tokens)
        let cost = store.cost
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.kind, .alreadyRegistered)
        expectEqual(kit.mail.mails.last?.values["link"], nil)
        store.forget()
        expectEqual(taken, .linkSent(try kit.email("ada@example.com")))
        _ = try add(kit, email: "new@example.com", by: tokens)
        var free = store.cost
        (free.itemsRead, free.readUnits) = (cost.itemsRead, cost.readUnits)
        expectEqual(free, cost)
        #expect(try kit.logIn().user.id != tokens.user.id)
    }

    /// An attacker adds the victim's address to the attacker's account, and the victim opens the
    /// link.
    @Test func `a link can be used only once, by the account that requested it`() throws {
        let kit = try AuthKit(policy: .passwords())
        let (attacker, victim) = (try kit.session(of: "001"), try kit.session(of: "002"))
        let token = try link(kit, "victim@example.com", by: attacker)
        expectError(.emailLink(.invalid)) { try confirm(kit, token, by: victim) }
        expectError(.accessToken(.missing)) {
            try kit.auth.completeAddPassword(token: token, Caller())
        }
        for wrong in ["", "AAAA", String(repeating: "A", count: 64)] {
            expectError(.emailLink(.invalid)) { try confirm(kit, wrong, by: attacker) }
        }
        try confirm(kit, token, by: attacker)
        expectError(.emailLink(.invalid)) { try confirm(kit, token, by: attacker) }
    }

    @Test func `a link expires after its lifetime, and with the account's sessions`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try kit.session(of: "001")
        let token = try link(kit, "ada@example.com", by: tokens)
        kit.clock.advance(by: .minutes(30))
        let later = try kit.session(of: "001")
        expectError(.emailLink(.invalid)) { try confirm(kit, token, by: later) }
        let next = try link(kit, "ada@example.com", by: later)
        try kit.change(tokens.user.id) { $0.epoch += 1 }
        let last = try kit.session(of: "001")
        expectError(.emailLink(.invalid)) { try confirm(kit, next, by: last) }
    }
}
