extension RedeemMagicLink.Input {
    fileprivate var token: String {
        get { if case .token(let token) = answer { token } else { "" } }
        set { answer = .token(newValue) }
    }
}

@Suite("Magic links") struct MagicLinkTests {
    /// The link of a request as an app has it: the token from the mail, and its own secret.
    private func link(
        _ kit: AuthKit, _ text: String = "ada@example.com"
    ) throws -> RedeemMagicLink.Input {
        let secret = try kit.auth.requestMagicLink(try kit.email(text), Caller())
        kit.finishReply()
        return RedeemMagicLink.Input(token: try kit.mailedToken(), requestSecret: secret)
    }

    private func redeem(
        _ kit: AuthKit, _ input: RedeemMagicLink.Input
    ) throws -> RedeemMagicLink.Output {
        try kit.auth.redeemMagicLink(input, Caller(address: "192.0.2.1", userAgent: "Test"))
    }

    private func isRefused(_ kit: AuthKit, _ input: RedeemMagicLink.Input) -> Bool {
        kit.error { _ = try redeem(kit, input) } == .emailLink(.invalid)
    }

    // MARK: Signing in

    @Test func `an account without a password can be given one by mail`() throws {
        let kit = try AuthKit(policy: .passwords())
        let user = try redeem(kit, try link(kit)).result.tokens.user
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        try kit.askForReset()
        try kit.reset(try kit.mailedToken(), to: AuthKit.password)
        try expectEqual(kit.logIn().user.id, user.id)
    }

    // MARK: What a link is bound to

    @Test func `a link expires after its lifetime`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let (first, second) = (try link(kit), try link(kit))
        kit.clock.advance(by: .minutes(15) - .milliseconds(1))
        _ = try redeem(kit, first)
        kit.clock.advance(by: .milliseconds(1))
        #expect(isRefused(kit, second))
    }

    /// A link that was requested elsewhere would sign this app in to another account, and one that
    /// was intercepted would sign the interceptor in.
    @Test func `a link needs the secret of its request, and is not consumed without it`()
        throws
    {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let (mine, other) = (try link(kit), try link(kit))
        for secret in [nil, "", "AAAA", other.requestSecret] {
            var stolen = mine
            stolen.requestSecret = secret
            #expect(isRefused(kit, stolen))
        }
        #expect(throws: Never.self) { try redeem(kit, mine) }
    }

    @Test func `a link of another purpose is refused`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        try kit.askForReset()
        var input = try link(kit)
        let magic = input.token
        try kit.askForReset()
        input.token = try kit.mailedToken()
        #expect(isRefused(kit, input))
        _ = try kit.register("new@example.com")
        kit.finishReply()
        input.token = try kit.mailedToken()
        #expect(isRefused(kit, input))
        for token in [magic, input.token] {
            expectError(.emailLink(.invalid)) { try kit.reset(token, to: "new password") }
        }
        expectError(.emailLink(.invalid)) {
            _ = try kit.auth.completeRegistration(
                token: magic, password: AuthKit.password, Caller())
        }
    }

    @Test func `links expire with the sessions of their account`() throws {
        let kit = try AuthKit(policy: .passwords())
        let user = try kit.account()
        let input = try link(kit)
        try kit.change(user.id) { $0.epoch += 1 }
        #expect(isRefused(kit, input))
    }

    @Test func `a link to an unknown address is invalid once the address is registered`()
        throws
    {
        let kit = try AuthKit(policy: .passwords())
        let (first, second) = (try link(kit), try link(kit))
        _ = try redeem(kit, first)
        #expect(isRefused(kit, second))
    }

    @Test func `a deleted account's link does not open the next account of the address`()
        throws
    {
        let kit = try AuthKit(policy: .passwords())
        let user = try kit.account()
        let input = try link(kit)
        try kit.store.write([
            .delete(StoreLayout.profile(user.id), when: []),
            .delete(StoreLayout.emailClaim(try kit.email("ada@example.com")), when: []),
        ])
        #expect(isRefused(kit, input))
        try kit.account()
        #expect(isRefused(kit, input))
    }

    @Test func `the store has neither the token nor the secret`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let input = try link(kit)
        let partition = StoreLayout.magicLink(
            addressDigest: StoreLayout.addressDigest(try kit.email()), secretHash: []
        ).partition
        let rows = try kit.store.query(PartitionQuery(partition, limit: 10)).items
        expectEqual(rows.count, 1)
        let text = "\(rows)"
        #expect(!text.contains(String(input.token.suffix(20))))
        #expect(!text.contains(input.requestSecret ?? "") && !text.contains("example.com"))
    }

    // MARK: Who gets which mail

    @Test func `every address gets the same answer at the same cost`() throws {
        let clock = TestClock()
        let store = CountingStore(MemoryStore(clock: clock.wall))
        for createsAccounts in [true, false] {
            var policy = Policy.passwords(.immediate)
            policy.magicLinks?.createsAccounts = createsAccounts
            let kit = try AuthKit(
                policy: policy, clock: clock, store: store, seed: createsAccounts ? 1 : 2)
            let name = createsAccounts ? "ada" : "grace"
            try kit.account("\(name)@example.com")
            let disabled = try kit.account("\(name)-disabled@example.com")
            try kit.disable(disabled)
            _ = try kit.session(of: "\(name)-apple")
            var costs: [StoreCost] = []
            for text in ["", "-disabled", "-unknown", "-apple"] {
                store.forget()
                let email = try kit.email("\(name)\(text)@example.com")
                let secret = try kit.auth.requestMagicLink(email, Caller())
                expectEqual(secret.utf8.count, 43)
                costs.append(store.cost)
            }
            expectEqual(costs[0].roundTrips, 3)
            for index in costs.indices { costs[index].itemsRead = 0 }
            #expect(costs.allSatisfy { $0 == costs[0] }, "\(costs)")
            kit.finishReply()
            let sent = kit.mail.mails.map { "\($0.kind) \($0.to)" }
            var expected = ["magicLink \(name)@example.com"]
            if createsAccounts { expected.append("magicLink \(name)-unknown@example.com") }
            expected.append("signInMethods \(name)-apple@example.com")
            expectEqual(sent, expected)
            expectEqual(kit.mail.mails.last?.values["methods"], "Apple")
        }
    }

    @Test func `a disabled account cannot use a link`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passwords())
        let user = try kit.account()
        let input = try link(kit)
        let before = try kit.sessions(of: user.id).count
        store.beforeNextWrite { try kit.disable(user) }
        for _ in 0..<2 { expectError(.account(.disabled)) { try redeem(kit, input) } }
        try expectEqual(kit.sessions(of: user.id).count, before)
        try kit.disable(user, false)
        #expect(throws: Never.self) { try redeem(kit, input) }
    }

    // MARK: Pre-hijacking

    @Test func `the first proof of an address removes all earlier sign-in methods`() throws {
        let kit = try AuthKit(policy: .passwords(.immediate))
        let user = try kit.account()
        let attacker = LinkedIdentity(
            provider: "google", issuer: "https://google.example.com", subject: "attacker")
        try kit.change(user.id) { $0.identities.append(attacker) }
        let key = StoreLayout.identity(issuer: attacker.issuer, subject: attacker.subject)
        try kit.store.write([.put(Item(key, ["user": .text(user.id.text)]), when: [])])
        let before = try kit.logIn()

        let owner = try redeem(kit, try link(kit)).result.tokens

        #expect(owner.user.id == user.id && owner.user.isEmailVerified)
        #expect(throws: AuthError.self) { try kit.authenticate(before) }
        #expect(throws: AuthError.self) { try kit.refresh(before) }
        expectError(.password(.wrongCredentials)) { try kit.logIn() }
        try expectEqual(kit.store.get(key), nil)
        let after = try #require(try kit.user(user.id))
        expectEqual(after.identities.map(\.provider), ["email"])
        try expectEqual(kit.authenticate(owner).user, after)
        #expect(throws: Never.self) { try kit.refresh(owner) }
        kit.finishReply()
        expectEqual(kit.mail.mails.last?.kind, .methodRemoved)
        #expect(try kit.audit(of: user.id).contains("methodRemoved"))
    }

    // MARK: Races and failures

    @Test func `a link is still valid after an unrelated change of the account`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passwords())
        let user = try kit.account()
        let input = try link(kit)
        store.beforeNextWrite { try kit.change(user.id) { $0.displayName = "Ada" } }
        try expectEqual(redeem(kit, input).result.tokens.user.displayName, "Ada")
    }
}
