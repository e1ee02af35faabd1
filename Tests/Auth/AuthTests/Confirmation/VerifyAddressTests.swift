@Suite("Proving the address of an account") struct VerifyAddressTests {
    /// An account that was registered immediately, so that its address is not verified.
    private func kit() throws -> (AuthKit, SessionTokens) {
        let kit = try AuthKit(policy: .passwords(.immediate))
        try kit.account()
        return (kit, try kit.logIn())
    }

    private func link(_ kit: AuthKit, by tokens: SessionTokens) throws -> String {
        _ = try kit.auth.requestAddressVerification(kit.caller(tokens))
        kit.finishReply()
        return try kit.mailedToken()
    }

    private func confirm(_ kit: AuthKit, _ token: String, by tokens: SessionTokens) throws -> User {
        try kit.auth.verifyAddress(token: token, kit.caller(tokens))
    }

    private func isRefused(_ kit: AuthKit, _ token: String, by tokens: SessionTokens) -> Bool {
        kit.error { _ = try confirm(kit, token, by: tokens) } == .emailLink(.invalid)
    }

    @Test func `a link ends with the sessions of its account`() throws {
        let (kit, tokens) = try kit()
        let token = try link(kit, by: tokens)
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: AuthKit.password)
        // The reset has proven the address.
        let next = try kit.logIn()
        #expect(isRefused(kit, token, by: next))
        let error = kit.error { _ = try kit.auth.requestAddressVerification(kit.caller(next)) }
        expectEqual(error, .emailLink(.alreadyVerified))
    }

    @Test func `a link proves only the address to which it was mailed`() throws {
        let (kit, tokens) = try kit()
        let token = try link(kit, by: tokens)
        try kit.change(tokens.user.id) { $0.email = "other@example.com" }
        #expect(isRefused(kit, token, by: tokens))
    }

    @Test func `a link of another purpose is refused`() throws {
        let (kit, tokens) = try kit()
        try kit.askForReset()
        #expect(isRefused(kit, try kit.mailedToken(), by: tokens))
    }

    @Test func `a provider's unverified address does not make a proven address unproven`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let tokens = try kit.session(of: "001")
        try kit.change(tokens.user.id) { $0.isEmailVerified = false }
        let token = try link(kit, by: tokens)
        _ = try confirm(kit, token, by: tokens)
        let fake = FakeIdentityProviders()
        fake.add(
            "again",
            FakeIdentity {
                $0.email = "001@example.com"
                $0.isEmailVerified = false
            })
        let output = try kit.signIn(fake.gateway)(
            SignIn.Input(provider: "apple", idToken: "again"), Caller())
        #expect(output.user.id == tokens.user.id && output.user.isEmailVerified)
    }
}
