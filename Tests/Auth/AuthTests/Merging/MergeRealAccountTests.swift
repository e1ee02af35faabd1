import WebAuthnTestSupport

/// Two accounts of one person, who has signed in to the one and proves an identity of the other.
@Suite("Merging two accounts") struct MergeRealAccountTests {
    private struct Scene {
        let kit: AuthKit
        let owner: SessionTokens
        let other: SessionTokens

        init(_ policy: Policy = .merging(), code: String? = nil) throws {
            kit = try AuthKit(policy: policy)
            guard let owner = try kit.signIn("google", "ada", "ada@example.com").tokens,
                let other = try kit.signIn("apple", "001", "old@example.com", code: code).tokens
            else { throw AuthKit.KitFailure.noSession }
            (self.owner, self.other) = (owner, other)
        }

        func merge() throws -> SessionTokens {
            try kit.merge(try kit.offer(by: other), by: other)
        }
    }

    @Test func `the merged account's identities and address become free`() throws {
        let scene = try Scene()
        let kit = scene.kit
        let tokens = try scene.merge()
        expectEqual(tokens.user.id, scene.owner.user.id)
        try expectEqual(kit.methods(tokens), ["google"])
        try expectEqual(kit.user(tokens.user.id)?.email, "ada@example.com")
        let identity = StoreLayout.identity(issuer: "https://apple.example.com", subject: "001")
        try expectEqual(kit.store.get(identity), nil)
        let claim = StoreLayout.emailClaim(try kit.email("old@example.com"))
        try expectEqual(kit.store.get(claim), nil)
        let row = StoreLayout.emailUser(try kit.email("old@example.com"), scene.other.user.id)
        try expectEqual(kit.store.get(row), nil)
        expectError(.accessToken(.sessionEnded)) { try kit.authenticate(scene.other) }
        kit.finishReply()
        let mails = kit.mail.mails
        #expect(mails.contains { $0.kind == .accountDeleted && $0.to == "old@example.com" })
        // The new session can add them.
        try kit.link("apple", "001", by: tokens)
        try expectEqual(kit.signIn("apple", "001", "").user.id, tokens.user.id)
    }

    @Test func `the password and the passkeys do not move`() throws {
        let scene = try Scene()
        let kit = scene.kit
        _ = try kit.auth.addPassword(AuthKit.password, email: nil, kit.caller(scene.other))
        var passkey = try SoftwareAuthenticator(seed: 1)
        try kit.add(&passkey, by: scene.other)
        _ = try scene.merge()
        kit.finishReply()
        kit.clock.advance(by: .minutes(65))
        try kit.finishMerges()
        expectError(.password(.wrongCredentials)) { try kit.logIn("old@example.com") }
        let identity = StoreLayout.passkeys(of: scene.other.user.id)
        #expect(try kit.store.query(identity).items.isEmpty)
        try expectEqual(
            kit.user(scene.owner.user.id)?.identities.contains(where: \.isPasskey), false)
    }

    @Test func `both the ticket and the merge need a recent sign-in`() throws {
        let scene = try Scene()
        let kit = scene.kit
        kit.clock.advance(by: .minutes(9))
        let ticket = try kit.offer(by: scene.other)
        kit.clock.advance(by: .minutes(1))
        expectEqual(kit.mergeError(ticket, by: scene.other), .recentSignInRequired())
        expectError(.recentSignInRequired()) { try kit.offer(by: scene.other) }
    }

    @Test func `the session must have the second factor of the account that ends`() throws {
        let account = try ProtectedAccount(.merging())
        let kit = account.kit
        _ = try kit.signIn("google", "ada", "google@example.com")
        let proven = try account.complete(try account.ticket())
        let ticket = try kit.offer(by: proven)
        kit.clock.advance(by: .minutes(11))
        expectEqual(
            kit.mergeError(ticket, by: proven),
            .session(.recentSignInRequired(ProofRequirement(.twoFactors, within: .minutes(10)))))
    }

    @Test func `the merged account's provider tokens are revoked unless they were replaced`() throws
    {
        for isAdded in [true, false] {
            let scene = try Scene(code: "older")
            let kit = scene.kit
            let tokens = try scene.merge()
            if isAdded { try kit.link("apple", "001", code: "newer", by: tokens) }
            kit.finishReply()
            #expect(kit.erasure.revoked.isEmpty)
            kit.clock.advance(by: .minutes(65))
            try kit.finishMerges()
            expectEqual(kit.erasure.revoked, isAdded ? [] : ["older"])
        }
    }

    @Test func `after several merges the data is in the last account`() throws {
        let scene = try Scene()
        let kit = scene.kit
        let guest = try kit.guest()
        kit.erasure.addObject("photo", of: guest.user.id)
        let second = try kit.merge(try kit.offer("apple", "001", by: guest), by: guest)
        let third = try kit.merge(try kit.offer(by: second), by: second)
        expectEqual(third.user.id, scene.owner.user.id)
        for _ in 0..<4 {
            kit.finishReply()
            kit.clock.advance(by: .minutes(65))
            try kit.finishMerges()
        }
        expectEqual(kit.erasure.objectNames(of: third.user.id), ["photo"])
        #expect(kit.erasure.objectNames(of: second.user.id).isEmpty)
        #expect(kit.erasure.objectNames(of: guest.user.id).isEmpty)
    }

    @Test func `a concurrent sign-in to the ended account makes a new account`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.merging())
        _ = try kit.signIn("google", "ada", "ada@example.com")
        let other = try #require(try kit.signIn("apple", "001", "").tokens)
        let ticket = try kit.offer(by: other)
        store.beforeNextWrite { _ = try kit.merge(ticket, by: other) }
        let output = try kit.signIn("apple", "001", "")
        #expect(output.isNewUser && output.user.id != other.user.id)
    }
}
