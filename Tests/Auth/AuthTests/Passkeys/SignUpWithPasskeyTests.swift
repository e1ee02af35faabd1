import WebAuthnTestSupport

@Suite("Sign-up with a passkey") struct SignUpWithPasskeyTests {
    private func kit() throws -> AuthKit { try AuthKit(policy: .passkeys()) }

    private func error(
        _ kit: AuthKit, _ passkey: SoftwareAuthenticator, _ begun: BegunCeremony,
        change: (inout RegistrationDraft) -> Void = { _ in }
    ) -> AuthError? {
        kit.error {
            var draft = passkey.registration(begun.challenge)
            change(&draft)
            let input = SignUpWithPasskey.Input(ceremony: begun.secret, try draft.response)
            _ = try kit.auth.signUpWithPasskey(input, Caller())
        }
    }

    @Test func `the entered address is unverified and not claimed`() throws {
        let kit = try kit()
        let owner = try kit.provenAccount()
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey, email: "ada@example.com").user
        #expect(user.id != owner.id)
        #expect(user.email == "ada@example.com" && !user.isEmailVerified && user.login == nil)
        try expectEqual(kit.logIn().user.id, owner.id)
        // Nor does it find the account of the address.
        try expectEqual(kit.signIn(with: passkey).tokens.user.id, user.id)
        try expectEqual(kit.user(owner.id)?.identities.contains(where: \.isPasskey), false)
    }

    @Test func `an address that a passkey user only entered can be registered by its owner`() throws
    {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let first = try kit.signUp(with: &passkey, email: "ada@example.com").user
        let owner = try kit.account()
        #expect(owner.id != first.id)
        try expectEqual(kit.logIn().user.id, owner.id)
    }

    @Test func `the public key and the handle are not readable in the store`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey).user
        let item = try #require(try kit.store.get(StoreLayout.passkey(try passkey.id, of: user.id)))
        for secret in [passkey.key.coseKey, passkey.credentialID, passkey.userHandle ?? []] {
            for case .bytes(let bytes) in item.attributes.values {
                #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
            }
        }
    }

    @Test func `the passkey is named after its provider unless the user names it`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        passkey.aaguid = try #require(AAGUID(text: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4")?.bytes)
        let tokens = try kit.signUp(with: &passkey)
        let entry = try #require(try kit.passkeys(tokens).first)
        expectEqual(entry.passkey.name, "Google Password Manager")
        #expect(entry.provider == "Google Password Manager" && entry.isCurrent)
        var other = try SoftwareAuthenticator(seed: 2)
        let list = try kit.add(&other, name: "Desk", by: tokens).entries
        expectEqual(list.first { $0.id == (try? other.id) }?.passkey.name, "Desk")
    }
}
