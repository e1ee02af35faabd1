import AuthTestSupport
import TestSupport

@Suite("SignIn under faults and races") struct SignInFaultTests {
    private let fake = FakeIdentityProviders()
    private let (kit, store): (AuthKit, FaultyStore)

    init() throws {
        (kit, store) = try AuthKit.withFaultyStore(.testing)
        for token in ["one", "two"] { fake.add(token) }
    }

    private func signIn(_ token: String, nonce: String? = nil) throws(AuthError) -> SignIn.Output {
        try kit.signIn(fake.gateway)(
            SignIn.Input(provider: "apple", idToken: token, nonce: nonce), Caller())
    }

    @Test func `an identity without its account is an internal error, not a new account`() throws {
        let owner = StoreLayout.identity(issuer: "https://apple.example.com", subject: "001")
        for value in [
            Attribute.text("not an id"), .integer(1), .text(UserID(random: .seeded(9)).text),
        ] {
            try store.write([.put(Item(owner, ["user": value]), when: [])])
            expectError(.fault(.storedDataUnreadable)) { try signIn("one") }
        }
    }

    @Test func `concurrent first sign-ins of one identity create one account`() throws {
        let first = Mutex<UserID?>(nil)
        store.beforeNextWrite {
            let user = try signIn("two").user.id
            first.withLock { $0 = user }
        }
        let second = try signIn("one")
        #expect(!second.isNewUser && second.user.id == first.withLock { $0 })
    }

    @Test func `an identity token in concurrent requests is accepted only once`() throws {
        store.beforeNextWrite { _ = try signIn("one") }
        expectError(.signIn(.identityTokenReused)) { try signIn("one") }
    }

    @Test func `a nonce in concurrent requests is accepted only once`() throws {
        let nonce = try kit.challenge(Caller()).nonce
        for token in ["a", "b"] { fake.add(token, FakeIdentity { $0.nonce = nonce }) }
        store.beforeNextWrite { _ = try signIn("a", nonce: nonce) }
        expectError(.signIn(.challengeUnknown)) { try signIn("b", nonce: nonce) }
    }
}
