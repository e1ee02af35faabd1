import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import IdentityProviders
import KeyValueStore
import TestSupport
import Testing
import Time

@Suite("SignIn") struct SignInTests {
    let fake = FakeIdentityProviders()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(
        _ token: String, provider: String = "apple", nonce: String? = nil,
        name: PersonName? = nil, _ context: Caller = Caller()
    ) throws(AuthError) -> SignIn.Output {
        var input = SignIn.Input(provider: provider, idToken: token, nonce: nonce)
        input.fullName = name
        return try kit.signIn(fake.gateway)(input, context)
    }

    @Test func `a new user gets an account, a session and the name in the request`() throws {
        fake.add("one")
        let output = try signIn("one", name: PersonName(given: "Ada", family: "Lovelace"))
        #expect(output.isNewUser)
        expectEqual(output.user.displayName, "Ada Lovelace")
        #expect(output.user.email == "ada@example.com" && output.user.isEmailVerified)
        expectEqual(output.user.subject(at: "apple"), "001")
        let tokens = try #require(output.tokens)
        let principal = try kit.authenticate(tokens.access.reveal())
        expectEqual(principal.user, output.user)
        expectEqual(principal.session.id, tokens.session)
    }

    @Test func `a returning user has the same account and a new session`() throws {
        fake.add("one")
        fake.add("two")
        let first = try signIn("one")
        let second = try signIn("two")
        #expect(!second.isNewUser)
        expectEqual(second.user.id, first.user.id)
        #expect(second.tokens?.session != first.tokens?.session)
        #expect(second.tokens?.refresh.reveal() != first.tokens?.refresh.reveal())
    }

    @Test func `the first known name is kept`() throws {
        for token in ["one", "two", "three"] { fake.add(token) }
        try expectEqual(signIn("one").user.displayName, nil)
        let named = try signIn("two", name: PersonName(given: "Ada", family: nil))
        expectEqual(named.user.displayName, "Ada")
        let renamed = try signIn("three", name: PersonName(given: "Eve", family: nil))
        expectEqual(renamed.user.displayName, "Ada")
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

    /// better-auth#9124: managed Apple accounts have no e-mail address and could not sign in.
    @Test func `an account needs no e-mail`() throws {
        fake.add(
            "one",
            FakeIdentity {
                $0.email = nil
                $0.isEmailVerified = true
            })
        let output = try signIn("one")
        #expect(output.isNewUser && output.user.email == nil && !output.user.isEmailVerified)
    }

    @Test func `the same e-mail at two providers is two accounts`() throws {
        fake.add("apple token")
        fake.add("google token", FakeIdentity { $0.provider = "google" })
        let apple = try signIn("apple token")
        let google = try signIn("google token", provider: "google")
        #expect(google.isNewUser && google.user.id != apple.user.id)
        expectEqual(google.user.email, apple.user.email)
    }

    @Test func `one subject at two issuers is two accounts`() throws {
        fake.add("one")
        fake.add("two", FakeIdentity { $0.issuer = "https://other.example.com" })
        #expect(try signIn("one").user.id != signIn("two").user.id)
    }

    @Test func `a disabled account is refused, and its token is not consumed`() throws {
        fake.add("one")
        fake.add("two")
        let user = try signIn("one").user
        try kit.disable(user)
        #expect(throws: AuthError.account(.disabled)) { try signIn("two") }
        try kit.disable(user, false)
        try expectEqual(signIn("two").user.id, user.id)
    }

    @Test func `an identity token is accepted once`() throws {
        fake.add("one")
        _ = try signIn("one")
        #expect(throws: AuthError.signIn(.identityTokenReused)) { try signIn("one") }
        try expectEqual(kit.sessionCount(), 1)
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
        for _ in 0..<50 {
            #expect(throws: AuthError.signIn(.identityTokenReused)) { try signIn("one") }
        }
        try signIn("two")
        try signIn("three")
        // Other sign-ins of the account do count.
        #expect(throws: AuthError.self) { try signIn("four") }
    }

    @Test func `an address at its limit is refused before the account is read`() throws {
        let kit = try AuthKit(
            policy: .testing.with {
                $0.limits = [RateLimit(.signIn, per: .address, 3, in: .minutes(1))]
            })
        for token in ["one", "two", "three"] { fake.add(token) }
        func signIn(_ token: String, _ address: String) throws(AuthError) {
            _ = try kit.signIn(fake.gateway)(
                SignIn.Input(provider: "apple", idToken: token), Caller(address: address))
        }
        try signIn("one", "192.0.2.1")
        // A refused token counts like an accepted one.
        #expect(throws: AuthError.signIn(.identityTokenReused)) { try signIn("one", "192.0.2.1") }
        #expect(throws: AuthError.self) { try signIn("junk", "192.0.2.1") }
        do throws(AuthError) {
            try signIn("two", "192.0.2.1")
            Issue.record("not limited")
        } catch {
            guard case .rateLimited = error else { throw error }
        }
        try signIn("three", "192.0.2.2")
    }

    @Test func `providers are compared as bytes, and unknown ones are refused`() throws {
        fake.add("one")
        for name in ["", "Apple", "apple ", "facebook", "\u{0}apple", "apple\u{301}"] {
            #expect(throws: AuthError.signIn(.unknownProvider)) {
                try signIn("one", provider: name)
            }
        }
    }

    @Test func `a token that the provider rejects is refused`() throws {
        fake.add("one", FakeIdentity { $0.provider = "google" })
        #expect(throws: AuthError.signIn(.identityRejected(.invalidIDToken))) { try signIn("one") }
        #expect(throws: AuthError.signIn(.identityRejected(.invalidIDToken))) { try signIn("none") }
        fake.fail(.tokenExpired)
        #expect(throws: AuthError.signIn(.identityRejected(.tokenExpired))) { try signIn("one") }
    }

    @Test func `if keys cannot be fetched, the error has the provider and the reason`() throws {
        fake.fail(.keysUnavailable(.timedOut))
        #expect(throws: AuthError.signIn(.identityRejected(.keysUnavailable(.timedOut)))) {
            try signIn("one")
        }
    }

    @Test func `a session stores address and user agent, within limits`() throws {
        fake.add("one")
        let agent = "Mozilla\u{0}\r\n" + "e" + String(repeating: "\u{301}", count: 500_000)
        let context = Caller(
            address: String(repeating: "1", count: 100_000), userAgent: agent)
        let output = try signIn("one", context)
        let bearer = try #require(output.tokens).access.reveal()
        let session = try kit.authenticate(bearer).session
        expectEqual(session.origin.userAgent.map { $0.utf8.count < 1100 }, true)
        expectEqual(session.origin.userAgent?.utf8.starts(with: "Mozillae".utf8), true)
        expectEqual(session.origin.address?.utf8.count, Caller.addressCharactersMax)
    }
}
