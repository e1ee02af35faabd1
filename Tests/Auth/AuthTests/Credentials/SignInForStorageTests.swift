@Suite("SignInForStorage") struct SignInForStorageTests {
    let fake = FakeIdentityProviders()
    let broker = FakeStorageBroker()
    let kit: AuthKit

    init() throws { kit = try AuthKit(storage: broker.services()) }

    private func signIn(_ token: String) throws -> SignIn.StorageOutput {
        try kit.services(with: fake.gateway).signInForStorage(
            SignIn.Input(provider: "apple", idToken: token), Caller())
    }

    @Test func `printing credentials does not reveal them`() throws {
        let caller = Caller(bearerText: try kit.session().access.reveal())
        let issued = try kit.credentials(IssueCredentials.Input(), caller)
        var dumped = ""
        dump(issued, to: &dumped)
        for text in ["\(issued)", String(reflecting: issued), dumped] {
            #expect(!text.contains("secret key") && !text.contains("session token"))
        }
    }

    @Test func `an outage of STS consumes no token and creates no account`() throws {
        fake.add("one")
        broker.fail(.unavailable)
        expectError(.unavailable(.storageCredentials)) { try signIn("one") }
        broker.fail(nil)
        #expect(try signIn("one").isNewUser)
    }

    /// The contract has no way to request it.
    @Test func `an account with a second factor gets no credentials`() throws {
        fake.add("one")
        let user = try signIn("one").user
        try kit.change(user.id) { $0.hasSecondFactor = true }
        fake.add("two")
        expectError(.secondFactor(.required)) { try signIn("two") }
        expectEqual(broker.asked.count, 1)
    }
}
