import WebAuthnTestSupport

/// The first way to sign in makes an account of a guest.
@Suite("Guests that become ordinary accounts") struct GuestUpgradeTests {
    /// Each way to sign in that a guest can be given.
    enum Method: CaseIterable, Sendable { case identity, passkey, password }

    private func add(_ method: Method, _ kit: AuthKit, by tokens: SessionTokens) throws {
        switch method {
        case .identity: try kit.link("google", "ada", by: tokens)
        case .passkey:
            var passkey = try SoftwareAuthenticator(seed: 1)
            try kit.add(&passkey, by: tokens)
        case .password:
            _ = try kit.auth.addPassword(
                AuthKit.password, email: try kit.email(), kit.caller(tokens))
            try expectEqual(kit.user(tokens.user.id)?.isGuest, true)
            kit.finishReply()
            _ = try kit.auth.completeAddPassword(token: try kit.mailedToken(), kit.caller(tokens))
        }
    }

    @Test(arguments: Method.allCases)
    func `a session that began as a guest is not a recent sign-in`(method: Method) throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        try add(method, kit, by: tokens)
        let error = kit.error { try kit.link("apple", "001", by: tokens) }
        expectEqual(error, .recentSignInRequired())
        expectError(.recentSignInRequired()) { try kit.auth.enrolAuthenticator(kit.caller(tokens)) }
        guard method == .identity else { return }
        let proven = try #require(try kit.signIn("google", "ada").tokens)
        try kit.link("apple", "001", by: proven)
    }

    @Test func `a changed password turns the guest's session into a recent sign-in`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        try add(.password, kit, by: tokens)
        let next = try kit.auth.changePassword(
            current: AuthKit.password, new: "another battery staple", kit.caller(tokens))
        try kit.link("apple", "001", by: next)
    }

    @Test func `the address of the first identity becomes the account's`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        try kit.link("google", "ada", "ada@example.com", by: tokens)
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.email == "ada@example.com" && user.isEmailVerified)
        expectEqual(user.login, "ada@example.com")
        let claim = try kit.store.get(StoreLayout.emailClaim(try kit.email()))
        expectEqual(claim?.attributes["user"], .text(user.id.text))
        let row = StoreLayout.emailUser(try kit.email(), user.id)
        #expect(try kit.store.get(row) != nil)
        // A second identity changes nothing.
        let proven = try #require(try kit.signIn("google", "ada", "ada@example.com").tokens)
        try kit.link("apple", "001", "other@example.com", by: proven)
        try expectEqual(kit.user(user.id)?.email, "ada@example.com")
    }

    @Test func `an address that another account has is not claimed`() throws {
        let kit = try AuthKit(policy: .guests())
        let owner = try kit.account()
        let tokens = try kit.guest()
        try kit.link("google", "eve", "ada@example.com", by: tokens)
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.email == "ada@example.com" && user.login == nil)
        let claim = try kit.store.get(StoreLayout.emailClaim(try kit.email()))
        expectEqual(claim?.attributes["user"], .text(owner.id.text))
        try expectEqual(kit.logIn().user.id, owner.id)
    }

    @Test func `guests of one client cannot send mail to many addresses`() throws {
        let kit = try AuthKit(
            policy: .guests {
                $0.limits = [RateLimit(.addPassword, per: .address, 2, in: .hours(1))]
            })
        func request(_ number: Int) throws {
            _ = try kit.auth.addPassword(
                AuthKit.password, email: try kit.email("person\(number)@example.com"),
                kit.caller(try kit.guest()))
        }
        for number in 0..<2 { try request(number) }
        let error = kit.error { try request(2) }
        expectEqual(error?.isRateLimited, true)
        kit.finishReply()
        expectEqual(kit.mail.mails.count, 2)
    }

    @Test func `after the upgrade the session has an absolute end again`() throws {
        let kit = try AuthKit(policy: .guests())
        var tokens = try kit.guest()
        func refreshFor(days: Int) throws {
            for _ in 0..<(days / 20) {
                kit.clock.advance(by: .days(20))
                tokens = try kit.refresh(tokens)
            }
        }
        // A guest that is used has no end: it could not sign in again.
        try refreshFor(days: 800)
        #expect(tokens.user.isGuest)
        try kit.link("google", "ada", by: tokens)
        try refreshFor(days: 360)
        kit.clock.advance(by: .days(6))
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(tokens) }
    }
}
