import WebAuthnTestSupport

@Suite("Adding a passkey") struct AddPasskeyTests {
    private func kit(_ change: (inout Policy) -> Void = { _ in }) throws -> AuthKit {
        try AuthKit(policy: .passkeys(change))
    }

    @Test func `a recent sign-in is needed at the beginning and end of adding a passkey`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        var passkey = try SoftwareAuthenticator()
        kit.clock.advance(by: .minutes(8))
        let begun = try kit.begin(.add(isConditional: false), kit.caller(tokens))
        passkey.userHandle = begun.userHandle
        kit.clock.advance(by: .minutes(2))
        expectError(.recentSignInRequired()) { try kit.add(passkey, in: begun, by: tokens) }
        expectError(.recentSignInRequired()) { try kit.add(&passkey, by: tokens) }
    }

    @Test func `the handle of an account never changes`() throws {
        let kit = try kit()
        let user = try kit.provenAccount()
        let tokens = try kit.logIn()
        var (first, second) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        try kit.add(&first, by: tokens)
        let handle = first.userHandle
        try kit.auth.removePasskey(try first.id, kit.caller(tokens))
        try expectEqual(kit.user(user.id)?.passkeyHandle, handle)
        try kit.add(&second, by: tokens)
        expectEqual(second.userHandle, handle)
    }

    /// Each request names its own handle, and the account gets the first one's.
    @Test func `only one of two ceremonies before the first passkey succeeds`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        let one = try kit.begin(.add(isConditional: false), kit.caller(tokens))
        let other = try kit.begin(.add(isConditional: false), kit.caller(tokens))
        #expect(one.userHandle != other.userHandle)
        try kit.add(try SoftwareAuthenticator(), in: one, by: tokens)
        let second = try SoftwareAuthenticator(seed: 2)
        expectError(.passkey(.ceremonyInvalid)) { try kit.add(second, in: other, by: tokens) }
    }

    @Test func `an account has at most as many passkeys as the policy allows`() throws {
        let kit = try kit { $0.passkeys = PasskeyPolicy(countMax: 2) }
        var passkey = try SoftwareAuthenticator()
        let tokens = try kit.signUp(with: &passkey)
        let waiting = try kit.begin(.add(isConditional: false), kit.caller(tokens))
        var second = try SoftwareAuthenticator(seed: 2)
        try kit.add(&second, by: tokens)
        expectError(.passkey(.tooMany)) {
            try kit.begin(.add(isConditional: false), kit.caller(tokens))
        }
        let third = try SoftwareAuthenticator(seed: 3)
        expectError(.passkey(.tooMany)) { try kit.add(third, in: waiting, by: tokens) }
        try kit.auth.removePasskey(try second.id, kit.caller(tokens))
        #expect(throws: Never.self) {
            try kit.begin(.add(isConditional: false), kit.caller(tokens))
        }
    }

    @Test func `a ceremony of another user is refused`() throws {
        let kit = try kit()
        try kit.provenAccount()
        try kit.provenAccount("eve@example.com")
        let (mine, eve) = (try kit.logIn(), try kit.logIn("eve@example.com"))
        let begun = try kit.begin(.add(isConditional: false), kit.caller(eve))
        let passkey = try SoftwareAuthenticator()
        expectError(.passkey(.ceremonyInvalid)) { try kit.add(passkey, in: begun, by: mine) }
        #expect(try kit.passkeys(mine).isEmpty)
    }

    @Test func `a ceremony expires with the sessions of its account`() throws {
        let kit = try kit()
        let user = try kit.provenAccount()
        let old = try kit.logIn()
        let begun = try kit.begin(.add(isConditional: false), kit.caller(old))
        try kit.change(user.id) { $0.epoch += 1 }
        let tokens = try kit.logIn()
        let passkey = try SoftwareAuthenticator()
        expectError(.passkey(.ceremonyInvalid)) { try kit.add(passkey, in: begun, by: tokens) }
    }

    @Test
    func `the client may create a passkey without asking the user, if the ceremony allows it`()
        throws
    {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        var passkey = try SoftwareAuthenticator()
        passkey.flags = []
        let refused = kit.error { try kit.add(&passkey, by: tokens) }
        expectEqual(refused, .passkey(.registrationRefused))
        try expectEqual(kit.add(&passkey, isConditional: true, by: tokens).entries.count, 1)
        // A sign-in needs the user all the same.
        expectError(.passkey(.refused)) { try kit.signIn(with: passkey) }
        passkey.flags = [.userPresent]
        #expect(throws: Never.self) { try kit.signIn(with: passkey) }
    }
}
