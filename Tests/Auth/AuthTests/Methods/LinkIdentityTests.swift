@Suite("Linking identities") struct LinkIdentityTests {
    @Test func `linking needs a recent sign-in, and a refresh is not one`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try kit.session(of: "001")
        kit.clock.advance(by: .minutes(10) - .milliseconds(1))
        try kit.link("google", "ada", by: tokens)
        kit.clock.advance(by: .milliseconds(1))
        let later = try kit.refresh(tokens)
        for tokens in [tokens, later] {
            let error = kit.error { try kit.link("oidc", "ada", by: tokens) }
            expectEqual(error, .signIn(.unknownProvider))
            let input = LinkIdentity.Input(kit.proof("google", "other"))
            let old = kit.error { _ = try kit.auth.linkIdentity(input, kit.caller(tokens)) }
            expectEqual(old, .recentSignInRequired())
            let removal = kit.error { _ = try kit.auth.removeMethod("google", kit.caller(tokens)) }
            expectEqual(removal, .recentSignInRequired())
            expectError(.recentSignInRequired()) {
                try kit.auth.addPassword(AuthKit.password, email: nil, kit.caller(tokens))
            }
        }
        let fresh = try kit.session(of: "001")
        _ = try kit.auth.removeMethod("google", kit.caller(fresh))
    }

    @Test func `an issued nonce is consumed, and one that was not issued is refused`() throws {
        let kit = try AuthKit(policy: .passwords())
        let tokens = try kit.session(of: "001")
        var proof = kit.proof("google", "ada")
        proof.nonce = "not issued"
        let foreign = LinkIdentity.Input(proof)
        let error = kit.error { _ = try kit.auth.linkIdentity(foreign, kit.caller(tokens)) }
        expectEqual(error, .signIn(.challengeUnknown))
        proof.nonce = try kit.challenge(Caller()).nonce
        _ = try kit.auth.linkIdentity(LinkIdentity.Input(proof), kit.caller(tokens))
        var again = kit.proof("google", "other")
        again.nonce = proof.nonce
        let next = try kit.session(of: "002")
        expectError(.signIn(.challengeUnknown)) {
            try kit.auth.linkIdentity(LinkIdentity.Input(again), kit.caller(next))
        }
    }

    @Test func `the address of a linked identity changes nothing`() throws {
        let policy = Policy.passwords().with { $0.accounts.followsProvider = true }
        let kit = try AuthKit(policy: policy)
        let tokens = try kit.session(of: "001")
        try kit.link("google", "ada", "ada@gmail.example", by: tokens)
        let user = try kit.signIn("google", "ada", "ada@gmail.example").user
        #expect(user.email == "001@example.com" && user.login == "001@example.com")
        // The first identity may still bring a newer one.
        try expectEqual(kit.signIn("apple", "001", "new@example.com").user.email, "new@example.com")
    }

    @Test func `the refresh token of the provider is kept`() throws {
        let fake = FakeIdentityProviders()
        let kit = try AuthKit(policy: .passwords(), identityProviders: fake.gateway)
        fake.add("first", FakeIdentity { $0.provider = "google" })
        fake.add("second", FakeIdentity { $0.subject = "apple-user" })
        let input = SignIn.Input(provider: "google", idToken: "first")
        let tokens = try #require(try kit.auth.signIn(input, Caller()).tokens)
        fake.answerCodes(.granted(refreshToken: SecretBytes(utf8: "refresh")))
        let link = LinkIdentity.Input(
            IdentityProof(provider: "apple", idToken: "second"), authorizationCode: "code")
        _ = try kit.auth.linkIdentity(link, kit.caller(tokens))
        expectEqual(fake.codes, ["code"])
        let key = StoreLayout.grant(
            of: .apple("apple-user"), clientID: "com.example.app", in: tokens.user.id)
        #expect(try kit.store.get(key) != nil)
    }

    @Test func `a code of another user links no identity`() throws {
        let fake = FakeIdentityProviders()
        let kit = try AuthKit(policy: .passwords(), identityProviders: fake.gateway)
        fake.add("first")
        fake.add("second", FakeIdentity { $0.provider = "google" })
        let input = SignIn.Input(provider: "apple", idToken: "first")
        let tokens = try #require(try kit.auth.signIn(input, Caller()).tokens)
        fake.answerCodes(.belongsToAnotherUser)
        let link = LinkIdentity.Input(
            IdentityProof(provider: "google", idToken: "second"), authorizationCode: "code")
        let error = kit.error { _ = try kit.auth.linkIdentity(link, kit.caller(tokens)) }
        expectEqual(error, .signIn(.identityRejected(.invalidIDToken)))
        try expectEqual(kit.methods(tokens), ["apple"])
    }
}
