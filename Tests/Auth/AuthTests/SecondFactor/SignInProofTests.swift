/// The changes that an old session must not make, even with the password.
@Suite("Proof of sign-in") struct SignInProofTests {
    /// The changes that need a recent sign-in.
    static let changes: [String] = ["link", "add password", "remove", "delete", "enrol"]

    private func error(of change: String, _ kit: AuthKit, by tokens: SessionTokens) -> AuthError? {
        let caller = kit.caller(tokens)
        return kit.error {
            switch change {
            case "link": try kit.link("google", "attacker", by: tokens)
            case "add password": _ = try kit.auth.addPassword("another one", email: nil, caller)
            case "remove": _ = try kit.auth.removeMethod("email", caller)
            case "enrol": _ = try kit.auth.enrolAuthenticator(caller)
            default:
                let principal = try kit.auth.authenticate(caller, for: .deleteAccount)
                try kit.auth.deleteAccount(principal, caller)
            }
        }
    }

    private func changePassword(_ kit: AuthKit, by tokens: SessionTokens) throws -> SessionTokens {
        try kit.auth.changePassword(
            current: AuthKit.password, new: "another password", kit.caller(tokens))
    }

    @Test(arguments: changes)
    func `an old session and the password do not pass for a second factor`(change: String) throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        kit.clock.advance(by: .minutes(10))
        let tokens = try changePassword(kit, by: account.tokens)
        expectEqual(error(of: change, kit, by: tokens), .recentSignInRequired(.twoFactors))
        try expectEqual(kit.user(account.user.id)?.deletedAt, nil)
    }

    @Test func `a changed password does not prolong a session with a second factor`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        let before = try kit.authenticate(account.tokens).session
        kit.clock.advance(by: .minutes(9))
        let tokens = try changePassword(kit, by: account.tokens)
        let after = try kit.authenticate(tokens).session
        expectEqual(after.createdAt, before.createdAt)
        expectEqual(after.absoluteExpiresAt, before.absoluteExpiresAt)
        #expect(after.proofs.signIn.includesSecondFactor)
    }

    @Test func `without a second factor the password counts as a recent sign-in`() throws {
        let kit = try AuthKit(policy: ProtectedAccount.policy())
        try kit.provenAccount()
        let old = try kit.logIn()
        kit.clock.advance(by: .minutes(10))
        expectEqual(error(of: "enrol", kit, by: old), .recentSignInRequired())
        expectEqual(error(of: "enrol", kit, by: try changePassword(kit, by: old)), nil)
    }

    @Test func `a session that replaces another keeps its sign-in time`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        try kit.link("google", "own", by: account.tokens)
        kit.clock.advance(by: .minutes(8))
        let tokens = try kit.auth.removeMethod("google", account.caller)
        kit.clock.advance(by: .minutes(2))
        expectEqual(error(of: "delete", kit, by: tokens), .recentSignInRequired(.twoFactors))
    }

    @Test func `a refresh is not a new proof, but a sign-in with both factors is`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        kit.clock.advance(by: .minutes(10))
        let refreshed = try kit.refresh(account.tokens)
        expectEqual(error(of: "delete", kit, by: refreshed), .recentSignInRequired(.twoFactors))
        let tokens = try account.complete(try account.ticket())
        expectEqual(error(of: "delete", kit, by: tokens), nil)
    }

    @Test func `a trusted device signs in, but does not prove the second factor`() throws {
        let policy = ProtectedAccount.policy().with { $0.devices = DevicePolicy() }
        let account = try ProtectedAccount(policy)
        let kit = account.kit
        var input = LogIn.Input(email: try kit.email(), password: AuthKit.password)
        input.device = DeviceClaim(fingerprint: "phone")
        let ticket = try kit.ticket(try kit.auth.logIn(input, Caller()))
        let first = try account.complete(ticket)
        kit.clock.advance(by: .seconds(30))
        let device = DeviceID(of: account.user.id, fingerprint: "phone", name: nil, userAgent: nil)
        input.device.token = try kit.auth.trustDevice(
            device.text, code: account.code, kit.caller(first)
        ).token.reveal()
        kit.clock.advance(by: .seconds(30))
        let trusted = try kit.auth.logIn(input, Caller()).tokens
        expectEqual(error(of: "link", kit, by: trusted), .recentSignInRequired(.twoFactors))
        expectEqual(error(of: "delete", kit, by: trusted), .recentSignInRequired(.twoFactors))
        // An operation that requires a code itself has both factors.
        let removed = try kit.auth.removeAuthenticator(.code(account.code), kit.caller(trusted))
        expectEqual(removed.user.hasSecondFactor, false)
    }

    @Test func `a stored session without includesSecondFactor counts as one factor`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        let session = try kit.authenticate(account.tokens).session
        var row = try #require(
            try kit.store.get(StoreLayout.session(session.id, of: account.user.id)))
        row.attributes["includesSecondFactor"] = nil
        try kit.store.write([.put(row, when: [])])
        expectEqual(
            error(of: "delete", kit, by: account.tokens), .recentSignInRequired(.twoFactors))
    }
}
