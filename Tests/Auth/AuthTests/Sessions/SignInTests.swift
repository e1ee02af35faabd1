import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import IdentityProviders
import KeyValueStore
import Testing
import Time

@Suite("SignIn") struct SignInTests {
    let fake = FakeDesk()
    let kit: AuthKit

    init() throws { kit = try AuthKit() }

    private func signIn(
        _ token: String, provider: String = "apple", nonce: String? = nil,
        name: PersonName? = nil, _ context: RequestContext = RequestContext()
    ) throws(Problem) -> SignIn.Output {
        var input = SignIn.Input(provider: provider, idToken: token, nonce: nonce)
        input.fullName = name
        return try kit.signIn(fake.desk)(input, context)
    }

    @Test func `a new person gets an account, a session and the name of first sight`() throws {
        fake.add("one")
        let output = try signIn("one", name: PersonName(given: "Ada", family: "Lovelace"))
        #expect(output.isNewUser)
        #expect(output.user.displayName == "Ada Lovelace")
        #expect(output.user.email == "ada@example.com" && output.user.isEmailVerified)
        #expect(output.user.subject(at: "apple") == "001")
        let tokens = try #require(output.tokens)
        let principal = try kit.authenticate(tokens.access.reveal())
        #expect(principal.user == output.user)
        #expect(principal.session.id == tokens.session)
    }

    @Test func `who comes back is the same person in another session`() throws {
        fake.add("one")
        fake.add("two")
        let first = try signIn("one")
        let second = try signIn("two")
        #expect(!second.isNewUser)
        #expect(second.user.id == first.user.id)
        #expect(second.tokens?.session != first.tokens?.session)
        #expect(second.tokens?.refresh.reveal() != first.tokens?.refresh.reveal())
    }

    @Test func `a later name changes nothing, a first name that came late is kept`() throws {
        for token in ["one", "two", "three"] { fake.add(token) }
        #expect(try signIn("one").user.displayName == nil)
        let named = try signIn("two", name: PersonName(given: "Ada", family: nil))
        #expect(named.user.displayName == "Ada")
        let renamed = try signIn("three", name: PersonName(given: "Eve", family: nil))
        #expect(renamed.user.displayName == "Ada")
    }

    @Test func `a newer token's e-mail replaces the older, with what is known of it`() throws {
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
        #expect(second.user.revision == first.user.revision + 1)
        // Apple leaves it out after the first time: that takes nothing away.
        #expect(try signIn("three").user.email == "new@example.com")
    }

    /// better-auth#9124: managed Apple accounts have no e-mail and could not sign in.
    @Test func `a person without an e-mail is a person`() throws {
        fake.add(
            "one",
            FakeIdentity {
                $0.email = nil
                $0.isEmailVerified = true
            })
        let output = try signIn("one")
        #expect(output.isNewUser && output.user.email == nil && !output.user.isEmailVerified)
    }

    @Test func `one e-mail at two providers is two accounts that are never linked`() throws {
        fake.add("apple token")
        fake.add("google token", FakeIdentity { $0.provider = "google" })
        let apple = try signIn("apple token")
        let google = try signIn("google token", provider: "google")
        #expect(google.isNewUser && google.user.id != apple.user.id)
        #expect(google.user.email == apple.user.email)
    }

    @Test func `one subject of two issuers is two people`() throws {
        fake.add("one")
        fake.add("two", FakeIdentity { $0.issuer = "https://other.example.com" })
        #expect(try signIn("one").user.id != signIn("two").user.id)
    }

    @Test func `a disabled account does not open, and its token is not spent for it`() throws {
        fake.add("one")
        fake.add("two")
        let user = try signIn("one").user
        try kit.disable(user)
        #expect(throws: Problem.accountDisabled) { try signIn("two") }
        try kit.disable(user, false)
        #expect(try signIn("two").user.id == user.id)
    }

    @Test func `an identity token is good once`() throws {
        fake.add("one")
        _ = try signIn("one")
        #expect(throws: Problem.identityTokenSpent) { try signIn("one") }
        #expect(try kit.sessionCount() == 1)
    }

    @Test func `providers are compared by their bytes, and unknown ones are refused`() throws {
        fake.add("one")
        for name in ["", "Apple", "apple ", "facebook", "\u{0}apple", "apple\u{301}"] {
            #expect(throws: Problem.unknownProvider) { try signIn("one", provider: name) }
        }
    }

    @Test func `a refused token opens nothing`() throws {
        fake.add("one", FakeIdentity { $0.provider = "google" })
        #expect(throws: Problem.identityRejected(.invalidIDToken)) { try signIn("one") }
        #expect(throws: Problem.identityRejected(.invalidIDToken)) { try signIn("none") }
        fake.fail(.tokenExpired)
        #expect(throws: Problem.identityRejected(.tokenExpired)) { try signIn("one") }
    }

    @Test func `a provider whose keys cannot be had is an outage, not a refusal`() throws {
        fake.fail(.keysUnavailable(.timedOut))
        #expect(throws: Problem.unavailable(.identityProvider)) { try signIn("one") }
    }

    @Test func `a session keeps where it came from, within bounds`() throws {
        fake.add("one")
        let agent = "Mozilla\u{0}\r\n" + "e" + String(repeating: "\u{301}", count: 500_000)
        let context = RequestContext(
            address: String(repeating: "1", count: 100_000), userAgent: agent)
        let output = try signIn("one", context)
        let bearer = try #require(output.tokens).access.reveal()
        let session = try kit.authenticate(bearer).session
        #expect(session.origin.userAgent.map { $0.utf8.count < 1100 } == true)
        #expect(session.origin.userAgent?.utf8.starts(with: "Mozillae".utf8) == true)
        #expect(session.origin.address?.utf8.count == RequestContext.addressCharactersMax)
    }
}
