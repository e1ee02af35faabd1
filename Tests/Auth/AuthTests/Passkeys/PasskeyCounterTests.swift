import WebAuthnTestSupport

/// The counters of authenticators (WebAuthn section 6.1.1).
@Suite("Signature counters") struct PasskeyCounterTests {
    private func kit() throws -> AuthKit { try AuthKit(policy: .passkeys()) }

    @Test func `a counter that does not advance is refused and recorded`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        passkey.signatureCount = 5
        let tokens = try kit.signUp(with: &passkey)
        for (count, isAccepted) in [(6, true), (6, false), (5, false), (0, false), (7, true)] {
            passkey.signatureCount = UInt32(count)
            let error = kit.error { _ = try kit.signIn(with: passkey) }
            expectEqual(error, isAccepted ? nil : .passkey(.refused), "\(count)")
        }
        let details = try kit.refusals(of: tokens.user.id)
        expectEqual(details, Array(repeating: "counterRegressed", count: 3))
        try expectEqual(kit.passkeys(tokens).map(\.passkey.signatureCount), [7])
    }

    @Test func `the counter of a synced passkey is ignored`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        passkey.flags.formUnion([.backupEligible, .backedUp])
        passkey.signatureCount = 9
        let tokens = try kit.signUp(with: &passkey)
        for count in [3, 3, 0, 12, 1] {
            passkey.signatureCount = UInt32(count)
            #expect(throws: Never.self) { try kit.signIn(with: passkey) }
        }
        try expectEqual(kit.passkeys(tokens).map(\.passkey.signatureCount), [12])
    }

    @Test func `an authenticator without a counter can sign in`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        _ = try kit.signUp(with: &passkey)
        for _ in 0..<3 { #expect(throws: Never.self) { try kit.signIn(with: passkey) } }
    }

    @Test func `the backup state is updated at each use`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        passkey.flags.insert(.backupEligible)
        let tokens = try kit.signUp(with: &passkey)
        try expectEqual(kit.passkeys(tokens).map(\.passkey.isBackedUp), [false])
        passkey.flags.insert(.backedUp)
        _ = try kit.signIn(with: passkey)
        try expectEqual(kit.passkeys(tokens).map(\.passkey.isBackedUp), [true])
    }

    /// A copied passkey and its original would both pass.
    @Test func `only one of two simultaneous assertions with one counter succeeds`() throws {
        let (kit, store) = try AuthKit.withFaultyStore(.passkeys())
        var passkey = try SoftwareAuthenticator()
        passkey.signatureCount = 1
        let user = try kit.signUp(with: &passkey).user
        passkey.signatureCount = 2
        let (one, other) = (try kit.begin(), try kit.begin())
        let mine = passkey
        let errors = Mutex<[AuthError?]>([])
        store.beforeNextWrite {
            let error = kit.error { _ = try kit.signIn(with: mine, in: one.secret, one.challenge) }
            errors.withLock { $0.append(error) }
        }
        let error = kit.error {
            _ = try kit.signIn(with: passkey, in: other.secret, other.challenge)
        }
        expectEqual(errors.withLock { $0 }, [nil])
        expectEqual(error, .passkey(.refused))
        try expectEqual(kit.sessions(of: user.id).count, 2)
    }
}
