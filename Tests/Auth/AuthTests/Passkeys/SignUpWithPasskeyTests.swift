import AuthTestSupport
import TestSupport
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

    @Test func `a passkey makes an account and opens its first session`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let tokens = try kit.signUp(with: &passkey, name: " Ada ")
        let user = try kit.authenticate(tokens.access.reveal()).user
        expectEqual(user.identities, [try passkey.identity])
        #expect(user.displayName == "Ada" && user.email == nil && user.login == nil)
        #expect(user.passkeyHandle == passkey.userHandle && user.passkeyHandle?.count == 64)
        try expectEqual(kit.audit(of: user.id), ["accountCreated"])
        let entry = try AuditRecord(try kit.auditItems(of: user.id)[0]).entry
        #expect(entry.detail == "passkey" && entry.session == tokens.session)
        #expect(throws: Never.self) { try kit.refresh(tokens.refresh.reveal(), Caller()) }
        try expectEqual(kit.signIn(with: passkey).tokens.user.id, user.id)
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

    @Test func `an address that was only given here can be registered by its owner`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let first = try kit.signUp(with: &passkey, email: "ada@example.com").user
        let owner = try kit.account()
        #expect(owner.id != first.id)
        try expectEqual(kit.logIn().user.id, owner.id)
    }

    @Test func `every account has its own handle, which the options of a sign-up contain`() throws {
        let kit = try kit()
        let (one, other) = (
            try kit.begin(.signUp(email: nil, name: nil)),
            try kit.begin(.signUp(email: nil, name: nil))
        )
        #expect(one.userHandle != nil && one.userHandle != other.userHandle)
        #expect(one.challenge != other.challenge && one.secret != other.secret)
        expectEqual(one.options["rp"]?["id"], "example.org")
        expectEqual(one.options["attestation"], "none")
        #expect(one.credentialIDs("excludeCredentials").isEmpty)
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

    @Test func `an invalid registration makes no account`() throws {
        let kit = try kit()
        let passkey = try SoftwareAuthenticator()
        func begin() throws -> BegunCeremony { try kit.begin(.signUp(email: nil, name: nil)) }
        let changes: [(inout RegistrationDraft) -> Void] = [
            { $0.clientData["origin"] = "https://evil.example" },
            { $0.clientData["origin"] = "https://evilexample.org" },
            { $0.clientData["type"] = "webauthn.get" },
            { $0.clientData["challenge"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
            { $0.data.relyingPartyIDHash[0] ^= 1 },
            { $0.data.flags.remove(.userPresent) },
            { $0.data.trailing = [0] },
            { $0.id[0] ^= 1 },
        ]
        for change in changes {
            expectEqual(
                error(kit, passkey, try begin(), change: change), .passkey(.registrationRefused))
        }
        try expectEqual(kit.store.get(try passkey.claim), nil)
        expectEqual(error(kit, passkey, try begin()), nil)
    }
}
