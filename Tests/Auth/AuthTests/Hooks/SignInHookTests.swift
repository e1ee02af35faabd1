@Suite("Hooks of sign-ins") struct SignInHookTests {
    private static let policy = Policy.merging { $0.passwords = Policy.passwords().passwords }

    private static func kit(
        _ hooks: FakeHooks, failsOpen: Bool = false, _ policy: Policy = policy,
        store: (any KeyValueStore)? = nil
    ) throws -> AuthKit {
        try AuthKit(policy: policy, store: store, hooks: hooks.services(failsOpen: failsOpen))
    }

    private static func sessionCount(_ kit: AuthKit) throws -> Int {
        try accounts(kit).reduce(0) { try $0 + kit.sessions(of: $1).count }
    }

    private static func accounts(_ kit: AuthKit) throws -> [UserID] {
        let store = try #require(kit.store as? MemoryStore)
        return try store.partitions(withPrefix: "USER#", after: nil).keys.compactMap { key in
            UserID(parsing: String(key.partition.dropFirst("USER#".count)))
        }
    }

    @Test(arguments: WayIn.all)
    func `each sign-in method calls the hook once, after the proof, with the proven factors`(
        _ way: WayIn
    ) throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let request = try way.prepare(kit)
        hooks.forget()
        var caller = Caller(address: "192.0.2.7", userAgent: "App/1", language: "de")
        caller.botProof = "proof"
        try request(caller)
        let kinds: [HookKind] = way.isSignUp ? [.beforeSignUp, .beforeSignIn] : [.beforeSignIn]
        expectEqual(hooks.told.map(\.kind), kinds)
        let event = try #require(hooks.told.last?.event)
        expectEqual(event["methods"]?.arrayValue?.map(\.stringValue), way.methods.map(\.rawValue))
        expectEqual(event["user"]?["id"]?.stringValue?.utf8.count, 36)
        expectEqual(event["client"]?["address"], "192.0.2.7")
        expectEqual(event["client"]?["userAgent"], "App/1")
        expectEqual(event["client"]?["language"], "de")
        expectEqual(event["client"]?["botProof"], "proof")
        expectEqual(event["time"]?.int64Value, kit.clock.now.seconds)
    }

    @Test(arguments: WayIn.all)
    func `a refusal opens no session and uses up nothing`(_ way: WayIn) throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let request = try way.prepare(kit)
        let before = try Self.sessionCount(kit)
        hooks.answer(.beforeSignIn, #"{"decision":"refuse","reason":"blocked_region"}"#)
        let refusal = AuthError.hook(.refused(.beforeSignIn, reason: "blocked_region"))
        expectEqual(kit.error { try request(Caller()) }, refusal)
        try expectEqual(Self.sessionCount(kit), before)
        // A passkey's ceremony is used up by its first answer, whatever becomes of it.
        guard !way.name.contains("passkey") else { return }
        hooks.answer(.beforeSignIn, #"{"decision":"allow"}"#)
        try request(Caller())
        try expectEqual(Self.sessionCount(kit), before + 1)
    }

    @Test func `a hook whose failure allows sign-ins can still refuse them`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks, failsOpen: true)
        hooks.answer(.beforeSignIn, #"{"decision":"refuse"}"#)
        expectError(.hook(.refused(.beforeSignIn, reason: nil))) { try kit.guest() }
    }

    @Test(arguments: [
        "", "null", "[]", "true", "{}", #"{"decision":true}"#, #"{"decision":"ALLOW"}"#,
        #"{"decision":"allow","reason":"x"}"#, #"{"decision":"allow","decisions":"refuse"}"#,
        #"{"decision":"allow","decision":"allow"}"#, #"{"decision":"refuse","reason":"a b"}"#,
        #"{"decision":"refuse","reason":""}"#, #"{"decision":"refuse","reason":{}}"#,
        #"{"decision":"refuse","reason":"<b>"}"#, #"{"allow":true}"#, #"{"decision":"allow"}x"#,
        #"{"decision":"secondFactor","reason":"x"}"#,
    ])
    func `an answer in an invalid format is a failure`(_ text: String) throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        hooks.answer(.beforeSignIn, text)
        expectError(.hook(.unavailable(.beforeSignIn))) { try kit.guest() }
        expectEqual(hooks.failures.map(\.1), [.malformed])
    }

    @Test func `an oversized answer is a failure`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let space = String(repeating: " ", count: 16 << 10)
        hooks.answer(.beforeSignIn, #"{"decision":"allow"}"# + space)
        expectError(.hook(.unavailable(.beforeSignIn))) { try kit.guest() }
        expectEqual(hooks.failures.map(\.1), [.tooLarge])
    }

    @Test func `only a sign-in can need a second factor`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        hooks.answer(.beforeSignUp, #"{"decision":"secondFactor"}"#)
        expectError(.hook(.unavailable(.beforeSignUp))) { try kit.guest() }
    }

    @Test func `the hook is not called without a proof`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let user = try kit.account()
        hooks.forget()
        let wrong = kit.error { _ = try kit.logIn("ada@example.com", "wrong password") }
        let unknown = kit.error { _ = try kit.logIn("eve@example.com", "wrong password") }
        #expect(wrong == .password(.wrongCredentials) && unknown == wrong)
        try kit.disable(user)
        expectError(.account(.disabled)) { try kit.logIn() }
        #expect(hooks.told.isEmpty)
    }

    @Test func `a refusal is in the audit log`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let user = try kit.account()
        hooks.answer(.beforeSignIn, #"{"decision":"refuse"}"#)
        #expect(kit.error { _ = try kit.logIn() } != nil)
        try expectEqual(kit.audit(in: .attempts(on: user.id)), ["signInFailed"])
        hooks.answer(.beforeSignUp, #"{"decision":"refuse"}"#)
        #expect(kit.error { _ = try kit.guest(Caller(address: "192.0.2.7")) } != nil)
        let network = kit.auth.auditChain(ofAddress: "192.0.2.7")
        try expectEqual(kit.audit(in: network), ["signInFailed"])
    }

    @Test func `registration calls the hook for free and taken addresses alike`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        try kit.account()
        hooks.forget()
        hooks.answer(.beforeSignUp, #"{"decision":"refuse","reason":"invited_only"}"#)
        let mails = kit.mail.mails.count
        for address in ["ada@example.com", "new@example.com"] {
            let input = Register.Input(email: try kit.email(address), password: AuthKit.password)
            expectError(.hook(.refused(.beforeSignUp, reason: "invited_only"))) {
                try kit.auth.register(input, Caller())
            }
        }
        kit.finishReply()
        expectEqual(kit.mail.mails.count, mails)
        let told = hooks.told(.beforeSignUp).map { $0["user"]?["email"]?.stringValue }
        expectEqual(told, ["ada@example.com", "new@example.com"])
        #expect(hooks.told(.beforeSignUp).allSatisfy { $0["user"]?["id"] == nil })
    }

    @Test func `hooks get no password, code or token`() throws {
        for way in WayIn.all {
            let hooks = FakeHooks()
            let kit = try Self.kit(hooks)
            try way.prepare(kit)(Caller())
            for told in hooks.told {
                let text = String(decoding: told.event.serialized, as: UTF8.self)
                #expect(!text.contains(AuthKit.password) && !text.contains("$argon2id"))
                #expect(!text.contains("apple|") && !text.contains("lkr_"))
                let members = try #require(told.event.objectValue?.members.map(\.name)).sorted()
                expectEqual(
                    members,
                    [
                        "client", "hook", "id", "isNewUser", "methods", "operation", "provider",
                        "time", "user",
                    ])
            }
        }
    }
}
