@Suite("SignIn") struct SignInTests {
    let fake = FakeIdentityProviders()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(
        _ token: String, _ context: Caller = Caller()
    ) throws(AuthError) -> SignIn.Output {
        try kit.signIn(fake.gateway)(SignIn.Input(provider: "apple", idToken: token), context)
    }

    @Test func `a newer token's e-mail replaces the older one and its verification`() throws {
        fake.add("one")
        fake.add(
            "two",
            FakeIdentity {
                $0.email = "new@example.com"
                $0.isEmailVerified = false
            })
        fake.add("three", FakeIdentity { $0.email = nil })
        let first = try signIn("one")
        let second = try signIn("two")
        #expect(second.user.email == "new@example.com" && !second.user.isEmailVerified)
        expectEqual(second.user.revision, first.user.revision + 1)
        // Apple omits it after the first time, which must not remove it.
        try expectEqual(signIn("three").user.email, "new@example.com")
    }

    @Test func `the same subject at two issuers gives two accounts`() throws {
        fake.add("one")
        fake.add("two", FakeIdentity { $0.issuer = "https://other.example.com" })
        #expect(try signIn("one").user.id != signIn("two").user.id)
    }

    @Test func `a disabled account is refused, and its token is not consumed`() throws {
        fake.add("one")
        fake.add("two")
        let user = try signIn("one").user
        try kit.disable(user)
        expectError(.account(.disabled)) { try signIn("two") }
        try kit.disable(user, false)
        try expectEqual(signIn("two").user.id, user.id)
    }

    /// Otherwise a few replays of a used token would block the owner's sign-in.
    @Test func `replaying a used identity token does not count for its account`() throws {
        let kit = try AuthKit(
            policy: .testing.with {
                $0.limits = [RateLimit(.signIn, per: .account, 2, in: .minutes(1))]
            })
        for token in ["one", "two", "three", "four"] { fake.add(token) }
        func signIn(_ token: String) throws(AuthError) {
            _ = try kit.signIn(fake.gateway)(
                SignIn.Input(provider: "apple", idToken: token), Caller())
        }
        try signIn("one")
        for _ in 0..<50 { expectError(.signIn(.identityTokenReused)) { try signIn("one") } }
        try signIn("two")
        try signIn("three")
        // Other sign-ins of the account do count.
        #expect(throws: AuthError.self) { try signIn("four") }
    }

    @Test func `a session stores address and user agent, within limits`() throws {
        fake.add("one")
        let agent = "Mozilla\u{0}\r\n" + "e" + String(repeating: "\u{301}", count: 500_000)
        let context = Caller(address: String(repeating: "1", count: 100_000), userAgent: agent)
        let output = try signIn("one", context)
        let bearer = try #require(output.tokens).access.reveal()
        let session = try kit.authenticate(bearer).session
        expectEqual(session.origin.userAgent.map { $0.utf8.count < 1100 }, true)
        expectEqual(session.origin.userAgent?.utf8.starts(with: "Mozillae".utf8), true)
        expectEqual(session.origin.address?.utf8.count, Caller.addressCharactersMax)
    }
}
