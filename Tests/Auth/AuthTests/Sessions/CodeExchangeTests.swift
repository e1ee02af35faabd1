/// Apple's own refresh token, stored so that it can be revoked.
@Suite("Code exchange") struct CodeExchangeTests {
    let fake = FakeIdentityProviders()
    let kit: AuthKit

    init() throws {
        kit = try AuthKit()
        fake.add("one")
    }

    private func signIn(code: String? = "code") throws(AuthError) -> SignIn.Output {
        var input = SignIn.Input(provider: "apple", idToken: "one")
        input.authorizationCode = code
        return try kit.signIn(fake.gateway)(input, Caller())
    }

    private func grant(of user: UserID) throws -> Item? {
        try kit.store.get(StoreLayout.grant(of: .apple(), clientID: "com.example.app", in: user))
    }

    @Test func `a granted token is stored encrypted and can be decrypted`() throws {
        fake.answerCodes(.granted(refreshToken: SecretBytes(utf8: "apple refresh token")))
        let user = try signIn().user.id
        let item = try #require(try grant(of: user))
        guard case .bytes(let sealed)? = item.attributes["sealed"] else {
            Issue.record("not sealed")
            return
        }
        #expect(!Hex.encode(sealed).contains(Hex.encode(Array("refresh".utf8))))
        let opened = try kit.auth.providerTokens.open(item)
        expectEqual(opened.clientID, "com.example.app")
        // The index entry by which it is found when the master key is replaced.
        let entry = SealedRowEntry(keyID: try AuthKit.masterKey().id, row: item.key)
        try expectEqual(kit.store.get(entry.key), entry.item)
        expectEqual(opened.token.reveal(), Array("apple refresh token".utf8))
        expectEqual(fake.codes, ["code"])
    }

    @Test func `a grant can only be decrypted unchanged, in its own row, with its own key`() throws
    {
        fake.answerCodes(.granted(refreshToken: SecretBytes(utf8: "apple refresh token")))
        let item = try #require(try grant(of: signIn().user.id))
        let elsewhere = [
            Item(
                StoreLayout.grant(
                    of: .apple(), clientID: "com.example.app",
                    in: UserID(random: .seeded(77))), item.attributes),
            Item(ItemKey(item.key.partition, item.key.sort + "x"), item.attributes),
        ]
        for moved in elsewhere {
            expectError(.fault(.sealedDataUnreadable)) { try kit.auth.providerTokens.open(moved) }
        }
        guard case .bytes(let sealed)? = item.attributes["sealed"] else { return }
        for index in [0, 11, 12, sealed.count - 1] {
            var tampered = item
            var bytes = sealed
            bytes[index] ^= 1
            tampered.attributes["sealed"] = .bytes(bytes)
            expectError(.fault(.sealedDataUnreadable)) {
                try kit.auth.providerTokens.open(tampered)
            }
        }
        let other = try ProviderTokenStore(AuthKit.masterKey(1), random: .seeded(1))
        expectError(.fault(.sealedDataUnreadable)) { try other.open(item) }
        for name in ["sealed", "provider", "identity", "clientID"] {
            var lacking = item
            lacking.attributes[name] = nil
            expectError(.fault(.sealedDataUnreadable)) { try kit.auth.providerTokens.open(lacking) }
        }
    }

    @Test func `a failed exchange does not prevent the sign-in`() throws {
        let outcomes: [CodeExchange] = [.notConfigured, .refused, .unreachable]
        for (index, outcome) in outcomes.enumerated() {
            fake.add("token \(index)")
            fake.answerCodes(outcome)
            var input = SignIn.Input(provider: "apple", idToken: "token \(index)")
            input.authorizationCode = "code"
            let output = try kit.signIn(fake.gateway)(input, Caller())
            #expect(output.tokens != nil)
            try expectEqual(grant(of: output.user.id), nil)
        }
    }

    @Test func `a code of another user is refused`() throws {
        fake.answerCodes(.belongsToAnotherUser)
        expectError(.signIn(.identityRejected(.invalidIDToken))) { try signIn() }
        try expectEqual(kit.sessionCount(), 0)
    }

    @Test func `without a code the provider is not called`() throws {
        _ = try signIn(code: nil)
        #expect(fake.codes.isEmpty)
    }

    @Test func `no code is exchanged for a token that is refused`() throws {
        fake.fail(.invalidSignature)
        expectError(.signIn(.identityRejected(.invalidSignature))) { try signIn() }
        #expect(fake.codes.isEmpty)
    }
}
