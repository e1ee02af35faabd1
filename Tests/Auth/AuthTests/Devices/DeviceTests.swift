@Suite("Devices") struct DeviceTests {
    private static func policy(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
        ProtectedAccount.policy().with {
            $0.devices = DevicePolicy()
            change(&$0)
        }
    }

    /// A sign-in of the account on a device.
    private func signIn(
        _ kit: AuthKit, _ fingerprint: String?, name: String? = nil, token: String? = nil,
        userAgent: String? = "Shell/2.0 (iPhone; iOS 26.1)"
    ) throws -> SignInResult {
        var input = LogIn.Input(email: try kit.email(), password: AuthKit.password)
        input.device = DeviceClaim(name: name, fingerprint: fingerprint, token: token)
        return try kit.auth.logIn(input, Caller(address: "192.0.2.7", userAgent: userAgent))
    }

    private func devices(_ kit: AuthKit, _ tokens: SessionTokens) throws -> [ListDevices.Entry] {
        try kit.auth.listDevices(try kit.authenticate(tokens))
    }

    private func newDeviceMails(_ kit: AuthKit) -> Int {
        kit.finishReply()
        return kit.mail.mails.count { $0.kind == .newDevice }
    }

    // MARK: Notices

    @Test func `the device of a registration is recognised at the next sign-in`() throws {
        let kit = try AuthKit(
            policy: Self.policy {
                $0.passwords?.registration = .afterVerification(repeatsPassword: true)
            })
        let email = try kit.email()
        _ = try kit.auth.register(.init(email: email, password: AuthKit.password), Caller())
        kit.finishReply()
        let phone = DeviceClaim(fingerprint: "phone")
        let tokens = try kit.auth.completeRegistration(
            token: try kit.mailedToken(), password: AuthKit.password, on: phone, Caller())
        _ = try signIn(kit, "phone")
        try expectEqual(devices(kit, tokens).count, 1)
        expectEqual(newDeviceMails(kit), 0)
    }

    @Test func `the owner of an older account gets a notice of its first device`() throws {
        let kit = try AuthKit(policy: Self.policy())
        try kit.account()
        kit.clock.advance(by: .hours(1))
        _ = try signIn(kit, "phone")
        expectEqual(newDeviceMails(kit), 1)
    }

    @Test func `with a second factor the notice is sent after the second step`() throws {
        let account = try ProtectedAccount(Self.policy())
        let kit = account.kit
        let ticket = try kit.ticket(try signIn(kit, "stolen"))
        expectEqual(newDeviceMails(kit), 0)
        _ = try account.complete(ticket)
        expectEqual(newDeviceMails(kit), 1)
        let ids = try devices(kit, account.tokens).map(\.device.id)
        let stolen = DeviceID(of: account.user.id, fingerprint: "stolen", name: nil, userAgent: nil)
        #expect(ids.contains(stolen))
    }

    @Test func `a sign-in works without mail`() throws {
        let kit = try AuthKit(policy: Self.policy(), hasMail: false)
        try kit.account()
        _ = try signIn(kit, "phone")
        #expect(throws: Never.self) { try signIn(kit, "tablet") }
    }

    @Test func `the name of a device is mailed only to a verified address`() throws {
        for isVerified in [true, false] {
            let kit = try AuthKit(policy: Self.policy())
            let user = try kit.account()
            try kit.change(user.id) { $0.isEmailVerified = isVerified }
            _ = try signIn(kit, "phone")
            _ = try signIn(kit, "tablet", name: "Eve's iPad")
            expectEqual(newDeviceMails(kit), 1)
            let told = kit.mail.mails.last?.values["device"]
            expectEqual(told, isVerified ? "Eve's iPad" : nil)
        }
    }

    @Test func `a notice contains the browser, and links to an existing account page`() throws {
        for hasPages in [true, false] {
            let kit = try AuthKit(policy: Self.policy { $0.pages = hasPages ? PagesPolicy() : nil })
            let user = try kit.account()
            try kit.change(user.id) { $0.isEmailVerified = true }
            _ = try signIn(kit, "phone")
            let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0"
            _ = try signIn(kit, "tablet", userAgent: firefox)
            expectEqual(newDeviceMails(kit), 1)
            let values = kit.mail.mails.last?.values
            expectEqual(values?["device"], "Firefox, Linux")
            let page = "\(kit.auth.issuer)/auth/ui/account"
            expectEqual(values?["link"], hasPages ? page : nil)
        }
    }

    // MARK: Fingerprints

    @Test func `a fingerprint is not stored, and differs for each account`() throws {
        let kit = try AuthKit(policy: Self.policy())
        let user = try kit.account()
        _ = try signIn(kit, "a secret of the device")
        let items = try kit.store.query(
            PartitionQuery(StoreLayout.profile(user.id).partition, limit: 100)
        ).items
        #expect(!items.contains { "\($0)".contains("a secret of the device") })
        let other = UserID(random: .seeded(9))
        #expect(
            DeviceID(of: user.id, fingerprint: "x", name: nil, userAgent: nil)
                != DeviceID(of: other, fingerprint: "x", name: nil, userAgent: nil))
    }

    @Test func `without a fingerprint another name is a new device, another version is not`() {
        let user = UserID(random: .seeded(1))
        func id(_ name: String?, _ userAgent: String?) -> DeviceID {
            DeviceID(of: user, fingerprint: nil, name: name, userAgent: userAgent)
        }
        let old = id("Ada's iPhone", "Shell/2.0 (iPhone; iOS 26_1)")
        expectEqual(old, id("Ada's iPhone", "Shell/2.1.3 (iPhone; iOS 27_0)"))
        #expect(old != id("Eve's iPhone", "Shell/2.0 (iPhone; iOS 26_1)"))
        #expect(old != id("Ada's iPhone", "Shell/2.0 (iPad; iOS 26_1)"))
        #expect(old != DeviceID(of: user, fingerprint: "", name: nil, userAgent: nil))
    }

    // MARK: The list

    @Test func `devices are listed with their sessions, the last one used first`() throws {
        let kit = try AuthKit(policy: Self.policy())
        try kit.account()
        let phone = try signIn(kit, "phone", name: "Phone").tokens
        kit.clock.advance(by: .minutes(1))
        _ = try signIn(kit, "tablet", name: "Tablet")
        _ = try signIn(kit, "tablet", name: "Tablet")
        let listed = try devices(kit, phone)
        expectEqual(listed.map(\.device.name), ["Tablet", "Phone"])
        expectEqual(listed.map(\.sessions), [2, 1])
        expectEqual(listed.map(\.isCurrent), [false, true])
        kit.clock.advance(by: .minutes(1))
        _ = try kit.refresh(phone)
        try expectEqual(devices(kit, phone).map(\.device.name), ["Phone", "Tablet"])
        // The list of sessions has no devices in it.
        try expectEqual(kit.listSessions(ProtectedAccount.caller(phone)).all.count, 3)
    }

    @Test func `the oldest device is removed when there are too many`() throws {
        let kit = try AuthKit(policy: Self.policy { $0.devices?.devicesMax = 3 })
        try kit.account()
        var tokens: SessionTokens?
        for name in ["one", "two", "three", "four"] {
            tokens = try signIn(kit, name, name: name).tokens
            kit.clock.advance(by: .seconds(1))
        }
        let listed = try devices(kit, try #require(tokens))
        expectEqual(listed.map(\.device.name), ["four", "three", "two"])
    }

    // MARK: Revoking

    @Test func `a device of another account is not found`() throws {
        let kit = try AuthKit(policy: Self.policy())
        let user = try kit.account()
        let mine = try signIn(kit, "phone").tokens
        let principal = try kit.authenticate(mine)
        let other = DeviceID(
            of: UserID(random: .seeded(5)), fingerprint: "phone", name: nil, userAgent: nil)
        for id in [other.text, "", user.id.text] {
            expectError(.device(.notFound)) { try kit.auth.revokeDevice(id, principal, Caller()) }
        }
    }

    // MARK: Trust

    /// An account with a second factor, a session on a device of it, and the device's id.
    private func protected(
        clock: TestClock = TestClock(), store: (any KeyValueStore)? = nil
    ) throws -> (account: ProtectedAccount, tokens: SessionTokens, device: String) {
        let account = try ProtectedAccount(Self.policy(), clock: clock, store: store)
        let ticket = try account.kit.ticket(try signIn(account.kit, "phone"))
        let tokens = try account.complete(ticket)
        account.kit.clock.advance(by: .seconds(30))
        let id = DeviceID(of: account.user.id, fingerprint: "phone", name: nil, userAgent: nil)
        return (account, tokens, id.text)
    }

    private func trust(
        _ account: ProtectedAccount, _ tokens: SessionTokens, _ device: String
    ) throws -> String {
        let output = try account.kit.auth.trustDevice(
            device, code: account.code, ProtectedAccount.caller(tokens))
        return output.token.reveal()
    }

    @Test func `the token cannot be used on another device`() throws {
        let (account, tokens, device) = try protected()
        let token = try trust(account, tokens, device)
        expectError(.secondFactor(.required)) {
            try signIn(account.kit, "another", token: token).tokens
        }
    }

    @Test func `of two sign-ins with one token, one needs the second factor`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let (account, tokens, device) = try protected(clock: clock, store: store)
        let token = try trust(account, tokens, device)
        let kit = account.kit
        store.beforeNextWrite { _ = try signIn(kit, "phone", token: token).tokens }
        expectError(.secondFactor(.required)) { try signIn(kit, "phone", token: token).tokens }
    }

    @Test func `trust ends after thirty days, however often it is used`() throws {
        let (account, tokens, device) = try protected()
        let kit = account.kit
        var token = try trust(account, tokens, device)
        kit.clock.advance(by: .days(29))
        token = try #require(try signIn(kit, "phone", token: token).tokens.deviceToken).reveal()
        kit.clock.advance(by: .days(1))
        expectError(.secondFactor(.required)) { try signIn(kit, "phone", token: token).tokens }
    }

    @Test func `trust ends when all sessions end or the device is removed`() throws {
        for end in ["epoch", "revoke"] {
            let (account, tokens, device) = try protected()
            let kit = account.kit
            let token = try trust(account, tokens, device)
            if end == "epoch" {
                try kit.auth.signOut(refreshToken: nil, scope: .all, account.caller)
            } else {
                let principal = try kit.authenticate(account.tokens)
                try kit.auth.revokeDevice(device, principal, Caller())
            }
            expectError(.secondFactor(.required)) { try signIn(kit, "phone", token: token).tokens }
        }
    }

    @Test func `a revocation during a trusted sign-in takes precedence`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let (account, tokens, device) = try protected(clock: clock, store: store)
        let token = try trust(account, tokens, device)
        let kit = account.kit
        store.beforeNextWrite {
            let principal = try kit.authenticate(account.tokens)
            try kit.auth.revokeDevice(device, principal, Caller())
        }
        expectError(.secondFactor(.required)) { try signIn(kit, "phone", token: token).tokens }
    }

    @Test func `only the session's own device can be trusted, with a second factor`() throws {
        let (account, tokens, device) = try protected()
        expectError(.secondFactor(.wrongCode)) {
            try account.kit.auth.trustDevice(
                device, code: account.wrongCode, ProtectedAccount.caller(tokens))
        }
        expectError(.device(.notCurrent)) {
            try account.kit.auth.trustDevice(device, code: account.code, account.caller)
        }
        expectError(.device(.notFound)) {
            try account.kit.auth.trustDevice("x", code: account.code, account.caller)
        }
    }
}
