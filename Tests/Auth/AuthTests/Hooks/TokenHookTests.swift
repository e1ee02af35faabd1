import WebAuthnTestSupport

@Suite("Claims of the application") struct TokenHookTests {
    private static let policy = Policy.merging {
        $0.passwords = Policy.passwords().passwords
        $0.accessTokens.claims = .standard + .proof
    }

    private static func kit(
        _ hooks: FakeHooks, _ kinds: [HookKind] = [.token], failsOpen: Bool = false
    ) throws -> AuthKit {
        try AuthKit(policy: policy, hooks: hooks.services(kinds, failsOpen: failsOpen))
    }

    static func claims(_ token: AccessToken) throws -> JSON {
        let part = try #require(token.reveal().split(separator: ".").dropFirst().first)
        return try JSON.parse(#require(Base64URL.decode(String(part))), limits: .request)
    }

    private static func audience(_ plan: String) -> String {
        #"{"claims":{"plan":"\#(plan)","https://example.com/roles":["editor",{"of":[1]}]}}"#
    }

    // MARK: When it is asked

    @Test(arguments: WayIn.all)
    func `each sign-in method calls the hook once, before anything is written`(_ way: WayIn) throws
    {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let request = try way.prepare(kit)
        let before = try kit.sessionCount()
        hooks.forget()
        hooks.answer(.token, .failure(.timedOut))
        expectError(.hook(.unavailable(.token))) { try request(Caller()) }
        try expectEqual(kit.sessionCount(), before)
        expectEqual(hooks.told.count, 1)
        // A passkey's ceremony is used up by its first answer, whatever becomes of it.
        guard !way.name.contains("passkey") else { return }
        hooks.answer(.token, Self.audience("pro"))
        hooks.forget()
        try request(Caller(address: "192.0.2.7", userAgent: "App/1"))
        try expectEqual(kit.sessionCount(), before + 1)
        let event = try #require(hooks.told(.token).first)
        expectEqual(hooks.told.count, 1)
        #expect(event["reason"] == "signIn" && event["client"]?["address"] == "192.0.2.7")
        expectEqual(event["user"]?["isGuest"]?.boolValue, way.name == "guest")
        let methods = way.methods
        let strong = methods.contains(.authenticatorApp) || methods.contains(.verifiedPasskey)
        expectEqual(event["acr"] == "aal1", !strong && !methods.contains(.guest))
        expectEqual(event["amr"]?.arrayValue?.isEmpty, false)
    }

    @Test func `a sign-in that needs a second factor does not call the hook`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        let app = try WayIn.protected(kit).app
        hooks.forget()
        hooks.answer(.token, Self.audience("pro"))
        let ticket = try kit.ticket(try kit.firstFactor())
        #expect(hooks.told.isEmpty)
        let tokens = try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), Caller())
        try expectEqual(Self.claims(tokens.access)["plan"], "pro")
    }

    @Test func `a refresh, a step-up and a changed account call the hook, with reasons`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        try kit.provenAccount()
        hooks.forget()
        var tokens = try kit.logIn()
        func reasons() -> [String] {
            defer { hooks.forget() }
            return hooks.told(.token).compactMap { event in
                guard let reason = event["reason"]?.stringValue else { return nil }
                return event["operation"]?.stringValue.map { "\($0) \(reason)" }
            }
        }
        expectEqual(reasons(), ["login signIn"])
        hooks.answer(.token, Self.audience("pro"))
        tokens = try kit.refresh(tokens)
        expectEqual(reasons(), ["refresh refresh"])
        try expectEqual(Self.claims(tokens.access)["plan"], "pro")
        let output = try kit.stepUp(.password(AuthKit.password), by: tokens)
        expectEqual(reasons(), ["stepUp stepUp"])
        try expectEqual(Self.claims(output.access)["plan"], "pro")
        tokens = try kit.auth.changePassword(
            current: AuthKit.password, new: "another long password", kit.caller(tokens))
        expectEqual(reasons(), ["changePassword change"])
        let app = try kit.enrol(tokens)
        tokens = try kit.auth.confirmAuthenticator(
            code: kit.code(of: app), kit.caller(tokens)
        ).tokens
        expectEqual(reasons(), ["confirmAuthenticator change"])
        try expectEqual(Self.claims(tokens.access)["plan"], "pro")
        kit.clock.advance(by: .seconds(60))
        tokens = try kit.auth.removeAuthenticator(.code(kit.code(of: app)), kit.caller(tokens))
        expectEqual(reasons(), ["removeAuthenticator change"])
        try expectEqual(Self.claims(tokens.access)["plan"], "pro")
    }

    @Test func `the event has no secret, and no other members`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        try kit.account()
        hooks.forget()
        var input = LogIn.Input(email: try kit.email("ada@example.com"), password: AuthKit.password)
        input.device.name = "Phone"
        _ = try kit.auth.logIn(input, Caller(userAgent: "App/1"))
        let event = try #require(hooks.told(.token).first)
        expectEqual(event["device"]?["name"], "Phone")
        expectEqual(event["authTime"]?.int64Value, kit.clock.now.seconds)
        expectEqual(event["amr"]?.arrayValue?.map(\.stringValue), ["pwd"])
        try expectEqual(
            #require(event.objectValue?.members.map(\.name)).sorted(),
            [
                "acr", "amr", "authTime", "client", "device", "hook", "id", "operation",
                "provider", "reason", "time", "user",
            ])
        let text = String(decoding: event.serialized, as: UTF8.self)
        #expect(!text.contains(AuthKit.password) && !text.contains("$argon2id"))
    }

    @Test func `a refused request does not call the hook`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks, [.beforeSignIn, .token])
        let user = try kit.account()
        let tokens = try kit.logIn()
        hooks.forget()
        _ = kit.error { _ = try kit.logIn("ada@example.com", "wrong password") }
        _ = kit.error { _ = try kit.refresh("lkr_wrong", Caller()) }
        hooks.answer(.beforeSignIn, #"{"decision":"refuse"}"#)
        _ = kit.error { _ = try kit.logIn() }
        #expect(hooks.told(.token).isEmpty)
        try kit.disable(user)
        expectError(.account(.disabled)) { try kit.refresh(tokens) }
        #expect(hooks.told(.token).isEmpty)
    }

    // MARK: What it may answer

    @Test(arguments: [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "sid", "epoch", "auth_time",
        "acr", "amr", "cnf", "scope", "act", "may_act", "nonce", "azp", "ath", "htu", "htm",
        "email", "email_verified", "authorization_details", "SUB", "Cnf", "latchkey",
        "latchkey_role", "Latchkey-Role", "", "a b", "caf\u{E9}", "a\\u0000b",
    ])
    func `a claim with a reserved name makes the answer a failure`(_ name: String) throws {
        for isOpen in [false, true] {
            let hooks = FakeHooks()
            let kit = try Self.kit(hooks, failsOpen: isOpen)
            hooks.answer(.token, #"{"claims":{"plan":"pro","\#(name)":"x"}}"#)
            let tokens = try? kit.guest()
            expectEqual(tokens != nil, isOpen)
            expectEqual(hooks.failures.map(\.1), [.malformed])
            guard let tokens else { continue }
            let claims = try Self.claims(tokens.access)
            #expect(claims["plan"] == nil && claims["sub"]?.stringValue == tokens.user.id.text)
        }
    }

    @Test func `the contract's own claims are reserved, whatever their names`() throws {
        let hooks = FakeHooks()
        let policy = Self.policy.with { $0.accessTokens.claims.append(.init("ver", .epoch)) }
        let kit = try AuthKit(policy: policy, hooks: hooks.services([.token]))
        hooks.answer(.token, #"{"claims":{"VER":5}}"#)
        expectError(.hook(.unavailable(.token))) { try kit.guest() }
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"claims":null}"#, #"{"claims":[]}"#, #"{"claims":"x"}"#,
        #"{"claims":{},"decision":"allow"}"#, #"{"decision":"allow"}"#, #"{"claim":{}}"#,
        #"{"claims":{},"claims":{}}"#, #"{"claims":{"a":1,"a":2}}"#, #"{"claims":{}}x"#,
        #"{"claims":{"a":[[[[[1]]]]]}}"#,
    ])
    func `an answer in an invalid format is a failure`(_ text: String) throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        hooks.answer(.token, text)
        expectError(.hook(.unavailable(.token))) { try kit.guest() }
        expectEqual(hooks.failures.map(\.1), [.malformed])
    }

    @Test func `claims are bounded in bytes and in number`() throws {
        let hooks = FakeHooks()
        let kit = try Self.kit(hooks)
        // {"a":"…"} has 8 bytes besides the text.
        hooks.answer(.token, #"{"claims":{"a":"\#(String(repeating: "x", count: 1016))"}}"#)
        try expectEqual(Self.claims(kit.guest().access)["a"]?.stringValue?.utf8.count, 1016)
        hooks.answer(.token, #"{"claims":{"a":"\#(String(repeating: "x", count: 1017))"}}"#)
        expectError(.hook(.unavailable(.token))) { try kit.guest() }
        let many = (0..<33).map { #""a\#($0)":1"# }.joined(separator: ",")
        hooks.answer(.token, #"{"claims":{\#(many)}}"#)
        expectError(.hook(.unavailable(.token))) { try kit.guest() }
        expectEqual(hooks.failures.map(\.1), [.tooLarge, .malformed])
    }
}

extension AuthKit {
    /// Counts the sessions of all accounts.
    fileprivate func sessionCount() throws -> Int {
        let store = try #require(store as? MemoryStore)
        return try store.partitions(withPrefix: "USER#", after: nil).keys.compactMap { key in
            UserID(parsing: String(key.partition.dropFirst("USER#".count)))
        }.reduce(0) { try $0 + sessions(of: $1).count }
    }
}
