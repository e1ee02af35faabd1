@Suite("Changing and resetting passwords") struct PasswordChangeTests {
    private func caller(_ tokens: SessionTokens) -> Caller {
        Caller(bearerText: tokens.access.reveal())
    }

    // MARK: Change

    @Test func `a change ends every session and opens a new one`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        try kit.account()
        let (phone, tablet) = (try kit.logIn(), try kit.logIn())
        let new = try kit.auth.changePassword(
            current: AuthKit.password, new: "another password", caller(phone))
        for old in [phone, tablet] {
            #expect(throws: AuthError.self) { try kit.authenticate(old) }
            #expect(throws: AuthError.self) { try kit.refresh(old) }
        }
        try expectEqual(kit.authenticate(new).user.id, phone.user.id)
        #expect(throws: Never.self) { try kit.refresh(new) }
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        #expect(throws: Never.self) { try kit.logIn("ada@example.com", "another password") }
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.passwordChanged])
    }

    // MARK: Reset

    private func resetToken(_ kit: AuthKit, _ text: String = "ada@example.com") throws -> String {
        try kit.askForReset(text)
        return try kit.mailedToken()
    }

    @Test func `a reset replaces the password, ends every session and every other link`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let session = try kit.logIn()
        let (first, second) = (try resetToken(kit), try resetToken(kit))
        try kit.reset(second, to: "another password")
        #expect(throws: AuthError.self) { try kit.authenticate(session) }
        #expect(throws: AuthError.self) { try kit.refresh(session) }
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        #expect(throws: Never.self) { try kit.logIn("ada@example.com", "another password") }
        for token in [first, second] {
            expectError(.emailLink(.invalid)) { try kit.reset(token, to: "third password") }
        }
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.kind, .passwordChanged)
    }

    @Test func `a reset that loses a race to another change of the account still succeeds`()
        throws
    {
        let (kit, store) = try AuthKit.withFaultyStore(.passwords())
        let user = try kit.account()
        let token = try resetToken(kit)
        store.beforeNextWrite {
            _ = try? kit.auth.administerUser(user.id.text, .setAdmin(true), by: .password, Caller())
        }
        try kit.reset(token, to: "another password")
        #expect(try kit.logIn("ada@example.com", "another password").user.isAdmin)
    }

    @Test func `a reset link expires after its lifetime`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let token = try resetToken(kit)
        kit.clock.advance(by: .minutes(30))
        expectError(.emailLink(.invalid)) { try kit.reset(token, to: "another password") }
    }

    @Test func `without a password, cost and answer are the same, and no link is sent`() throws {
        let (kit, store) = try AuthKit.withCountingStore(.passwords(.immediate))
        try kit.account("ada@example.com")
        _ = try kit.session(of: "001")
        var costs: [StoreCost] = []
        for text in ["ada@example.com", "nobody@example.com", "001@example.com"] {
            store.forget()
            try kit.auth.forgotPassword(try kit.email(text), Caller())
            costs.append(store.cost)
        }
        expectEqual(costs[0].roundTrips, 3)
        for index in costs.indices { costs[index].itemsRead = 0 }
        #expect(costs.allSatisfy { $0 == costs[0] }, "\(costs)")
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.resetPassword, .signInMethods])
        expectEqual(kit.mail.mails.last?.values["methods"], "Apple")
    }

    @Test func `the mail is sent to the account's own address`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        try kit.account("ada@example.com")
        try kit.askForReset("ADA@Example.com")
        expectEqual(kit.mail.mails.map(\.to), ["ada@example.com"])
    }

    /// Pre-hijacking (Sudhodanan and Paverd, 2022): an attacker creates an account with the address
    /// of a person who has none yet, and waits.
    @Test func `the first proof of an address removes every other sign-in method`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        let stranger = LinkedIdentity(
            provider: "google", issuer: "https://google.example.com", subject: "stranger")
        try kit.change(user.id) { $0.identities.append(stranger) }
        let key = StoreLayout.identity(issuer: stranger.issuer, subject: stranger.subject)
        try kit.store.write([.put(Item(key, ["user": .text(user.id.text)]), when: [])])
        let session = try kit.logIn()

        let token = try resetToken(kit)
        try kit.reset(token, to: "the owner's own")

        let after = try #require(try kit.user(user.id))
        #expect(after.isEmailVerified && after.identities.map(\.provider) == ["email"])
        try expectEqual(kit.store.get(key), nil)
        #expect(throws: AuthError.self) { try kit.authenticate(session) }
    }

    @Test func `a disabled account gets no link and cannot use one`() throws {
        let kit = try AuthKit(policy: .passwords())
        let user = try kit.account()
        let token = try resetToken(kit)
        try kit.disable(user)
        expectError(.account(.disabled)) { try kit.reset(token, to: "another password") }
        let sent = kit.mail.mails.count
        try kit.askForReset()
        expectEqual(kit.mail.mails.count, sent)
    }
}
