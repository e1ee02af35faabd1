import WebAuthnTestSupport

@Suite("Ceremonies of passkeys") struct PasskeyCeremonyTests {
    private func kit() throws -> AuthKit { try AuthKit(policy: .passkeys()) }

    private func error(
        _ kit: AuthKit, _ passkey: SoftwareAuthenticator, _ begun: BegunCeremony
    ) -> AuthError? {
        kit.error { _ = try kit.signIn(with: passkey, in: begun.secret, begun.challenge) }
    }

    @Test func `a ceremony is used up even if its first use fails`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        let begun = try kit.begin()
        var forged = passkey
        forged.key = try .es256(seed: 99)
        expectEqual(error(kit, forged, begun), .passkey(.refused))
        expectEqual(error(kit, passkey, begun), .passkey(.ceremonyInvalid))
    }

    /// The count is not durable, so the row of the ceremony decides as well.
    @Test func `a used ceremony no longer exists`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        let begun = try kit.begin()
        let secret = try #require(CeremonySecret(parsing: begun.secret))
        #expect(try kit.store.get(secret.key) != nil)
        expectEqual(error(kit, passkey, begun), nil)
        try expectEqual(kit.store.get(secret.key), nil)
        let counter = StoreLayout.presentations(ofCeremony: secret.hash)
        try kit.store.write([.delete(counter, when: [])])
        expectEqual(error(kit, passkey, begun), .passkey(.ceremonyInvalid))
    }

    @Test func `a ceremony can be used only for its own purpose`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        var passkey = try SoftwareAuthenticator()
        try kit.add(&passkey, by: tokens)
        let caller = kit.caller(tokens)
        let other = try SoftwareAuthenticator(seed: 2)
        func begin(_ name: String) throws -> BegunCeremony {
            switch name {
            case "signUp": try kit.begin(.signUp(email: nil, name: nil))
            case "add": try kit.begin(.add(isConditional: false), caller)
            default: try kit.begin()
            }
        }
        for begun in ["signUp", "signIn", "add"] {
            for used in ["signUp", "signIn", "add"] where used != begun {
                let ceremony = try begin(begun)
                expectError(.passkey(.ceremonyInvalid), "\(begun) as \(used)") {
                    switch used {
                    case "signUp":
                        let response = try other.registration(ceremony.challenge).response
                        let input = SignUpWithPasskey.Input(ceremony: ceremony.secret, response)
                        _ = try kit.auth.signUpWithPasskey(input, Caller())
                    case "add": try kit.add(other, in: ceremony, by: tokens)
                    default:
                        _ = try kit.signIn(with: passkey, in: ceremony.secret, ceremony.challenge)
                    }
                }
            }
        }
    }

    @Test func `the store contains only the hash of the secret`() throws {
        let kit = try kit()
        let begun = try kit.begin()
        let secret = try #require(CeremonySecret(parsing: begun.secret))
        let item = try #require(try kit.store.get(secret.key))
        #expect(!"\(item)".contains(begun.secret))
        expectEqual(secret.hash, SHA256.hash(try #require(Base64URL.decode(begun.secret))))
    }

    @Test func `only one of two requests with one ceremony succeeds`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passkeys())
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey).user
        let begun = try kit.begin()
        let errors = Mutex<[AuthError?]>([])
        let mine = passkey
        store.beforeNextWrite { [self] in
            errors.withLock { $0.append(error(kit, mine, begun)) }
        }
        expectEqual(error(kit, passkey, begun), nil)
        expectEqual(errors.withLock { $0 }, [.passkey(.ceremonyInvalid)])
        try expectEqual(kit.sessions(of: user.id).count, 2)
    }
}
