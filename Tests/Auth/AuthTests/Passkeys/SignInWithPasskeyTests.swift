import WebAuthnTestSupport

@Suite("Sign-in with a passkey") struct SignInWithPasskeyTests {
    private let clock = TestClock()

    private func kit(
        store: (any KeyValueStore)? = nil, _ change: (inout Policy) -> Void = { _ in }
    ) throws -> AuthKit {
        try AuthKit(policy: .passkeys(change), clock: clock, store: store)
    }

    /// ferriskey#1408, cedarcode/webauthn-rails#103: the user was determined by the user handle,
    /// which is not signed.
    @Test func `a sign-in needs the user handle of the passkey's owner`() throws {
        let kit = try kit()
        var (mine, other) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let user = try kit.signUp(with: &mine).user
        _ = try kit.signUp(with: &other)
        for handle in [nil, [], other.userHandle] {
            let error = kit.error { _ = try kit.signIn(with: mine) { $0.userHandle = handle } }
            expectEqual(error, .passkey(.refused))
        }
        try expectEqual(kit.refusals(of: user.id), [String](repeating: "wrongUserHandle", count: 3))
        try expectEqual(kit.signIn(with: mine).tokens.user.id, user.id)
    }

    @Test func `an invalid assertion is refused and recorded`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey).user
        let changes: [(String, (inout AssertionDraft) -> Void)] = [
            ("clientData", { $0.clientData["origin"] = "https://evil.example" }),
            ("clientData", { $0.clientData["crossOrigin"] = true }),
            ("wrongRelyingParty", { $0.data.relyingPartyIDHash[0] ^= 1 }),
            ("userNotPresent", { $0.data.flags.remove(.userPresent) }),
            ("backupEligibilityChanged", { $0.data.flags.insert(.backupEligible) }),
            ("authenticatorData", { $0.data.trailing = [0] }),
        ]
        for (_, change) in changes {
            expectError(.passkey(.refused)) { try kit.signIn(with: passkey, change: change) }
        }
        try expectEqual(kit.refusals(of: user.id), changes.map(\.0))
        try expectEqual(kit.sessions(of: user.id).count, 1)
    }

    /// Otherwise a client finds out which passkeys have accounts.
    @Test func `an unknown passkey and a bad signature cannot be told apart`() throws {
        let counting = CountingStore(MemoryStore(clock: clock.wall))
        let kit = try kit(store: counting) {
            $0.limits = [
                RateLimit(.signInWithPasskey, per: .address, 60, in: .minutes(1)),
                RateLimit(.signInWithPasskey, per: .account, 10, in: .minutes(1)),
            ]
        }
        var known = try SoftwareAuthenticator()
        // The account has no session here, because its sessions would be read as well.
        let tokens = try kit.signUp(with: &known)
        try kit.signOut(tokens, .session)
        var forged = known
        forged.key = try .es256(seed: 99)
        let unknown = try SoftwareAuthenticator(seed: 2)
        var (costs, errors): ([StoreCost], [AuthError?]) = ([], [])
        for passkey in [forged, unknown] {
            let begun = try kit.begin()
            counting.forget()
            errors.append(
                kit.error {
                    _ = try kit.signIn(
                        with: passkey, in: begun.secret, begun.challenge,
                        Caller(address: "192.0.2.1"))
                })
            costs.append(counting.cost)
        }
        expectEqual(errors, [.passkey(.refused), .passkey(.refused)])
        expectEqual(costs[0].roundTrips, costs[1].roundTrips)
        expectEqual(costs[0].itemsRead, costs[1].itemsRead)
        expectEqual(costs[0].itemsWritten, costs[1].itemsWritten)
        expectEqual(costs[0].counters, costs[1].counters)
    }

    @Test func `an unknown passkey costs the verification of a signature`() throws {
        let works = Mutex(0)
        var passkeys = try PasskeyServices.testing()
        passkeys.spendWork = { assertion, response in
            assertion.spendWork(on: response)
            works.withLock { $0 += 1 }
        }
        let kit = try AuthKit(policy: .passkeys(), clock: clock, passkeys: passkeys)
        var known = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &known)
        var forged = known
        forged.key = try .es256(seed: 99)
        _ = kit.error { _ = try kit.signIn(with: forged) }
        expectEqual(works.withLock(\.self), 0)
        let unknown = try SoftwareAuthenticator(seed: 2)
        _ = kit.error { _ = try kit.signIn(with: unknown) }
        expectEqual(works.withLock(\.self), 1)
    }

    @Test func `only a valid signature reveals that the account is disabled`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey).user
        try kit.disable(user)
        expectError(.account(.disabled)) { try kit.signIn(with: passkey) }
        var forged = passkey
        forged.key = try .es256(seed: 99)
        expectError(.passkey(.refused)) { try kit.signIn(with: forged) }
        try kit.disable(user, false)
        #expect(throws: Never.self) { try kit.signIn(with: passkey) }
    }

    @Test func `a deleted user's passkey is treated as unknown`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let tokens = try kit.signUp(with: &passkey)
        let principal = try kit.authenticate(tokens)
        try kit.auth.deleteAccount(principal, Caller())
        expectError(.passkey(.refused)) { try kit.signIn(with: passkey) }
        // Nor while only the account's row says so.
        var other = try SoftwareAuthenticator(seed: 2)
        let second = try kit.signUp(with: &other).user
        try kit.change(second.id) { $0.deletedAt = kit.clock.now }
        expectError(.passkey(.refused)) { try kit.signIn(with: other) }
    }

    @Test func `a passkey that the account does not list is refused`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let user = try kit.signUp(with: &passkey).user
        try kit.change(user.id) { $0.identities = [] }
        expectError(.passkey(.refused)) { try kit.signIn(with: passkey) }
    }

    @Test func `the owner is notified of a sign-in on a new device`() throws {
        let kit = try kit { $0.devices = DevicePolicy() }
        try kit.provenAccount()
        let tokens = try kit.logIn()
        var passkey = try SoftwareAuthenticator()
        try kit.add(&passkey, by: tokens)
        kit.clock.advance(by: .hours(1))
        func mails() -> Int {
            kit.finishReply()
            return kit.mail.mails.count { $0.kind == .newDevice }
        }
        let before = mails()
        let device = DeviceClaim(fingerprint: "phone")
        let mine = try kit.signIn(with: passkey, device: device).tokens
        expectEqual(mails(), before + 1)
        #expect(try kit.authenticate(mine).session.origin.device != nil)
        _ = try kit.signIn(with: passkey, device: device)
        expectEqual(mails(), before + 1)
    }

    @Test func `attempts are counted per account, from all addresses`() throws {
        let kit = try kit {
            $0.limits = [RateLimit(.signInWithPasskey, per: .account, 3, in: .minutes(1))]
        }
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        for number in 1...3 {
            _ = try kit.signIn(with: passkey, Caller(address: "192.0.2.\(number)"))
        }
        let error = kit.error { _ = try kit.signIn(with: passkey) }
        expectEqual(error?.isRateLimited, true)
    }
}

extension AuthError {
    var isRateLimited: Bool { if case .rateLimited = self { true } else { false } }
}
