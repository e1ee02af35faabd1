import WebAuthnTestSupport

@Suite("Step-up") struct StepUpTests {
    private func kit(_ change: (inout Policy) -> Void = { _ in }) throws -> AuthKit {
        try AuthKit(
            policy: .passkeys {
                $0.accessTokens.claims = .standard + .proof
                change(&$0)
            })
    }

    private func claims(_ token: AccessToken) throws -> JSON {
        let part = try #require(token.reveal().split(separator: ".").dropFirst().first)
        return try JSON.parse(#require(Base64URL.decode(String(part))), limits: .request)
    }

    // MARK: Methods

    @Test func `with a second factor a code suffices, and the password does not`() throws {
        let account = try ProtectedAccount(
            ProtectedAccount.policy().with { $0.accessTokens.claims = .standard + .proof })
        let kit = account.kit
        kit.clock.advance(by: .minutes(11))
        expectError(.secondFactor(.required)) {
            _ = try kit.stepUp(.password(AuthKit.password), by: account.tokens)
        }
        expectError(.recentSignInRequired(.twoFactors)) {
            try kit.auth.removeMethod("email", account.caller)
        }
        let output = try kit.stepUp(.secondFactor(.code(account.code)), by: account.tokens)
        let claims = try claims(output.access)
        expectEqual(claims["acr"]?.stringValue, "aal2")
        expectEqual(claims["amr"]?.arrayValue?.map(\.stringValue), ["otp", "mfa"])
        expectError(.method(.last)) { try kit.auth.removeMethod("email", account.caller) }
    }

    @Test func `a code can be used only once, and wrong codes count in the sign-in limit`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        let code = account.code
        _ = try kit.stepUp(.secondFactor(.code(code)), by: account.tokens)
        expectError(.secondFactor(.wrongCode)) {
            try kit.stepUp(.secondFactor(.code(code)), by: account.tokens)
        }
        for _ in 0..<4 {
            _ = kit.error {
                _ = try kit.stepUp(.secondFactor(.code(account.wrongCode)), by: account.tokens)
            }
        }
        let ticket = try account.ticket()
        expectEqual(account.error(ticket)?.isRateLimited, true)
    }

    @Test func `a passkey that verifies its user is the strongest proof`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let tokens = try kit.signUp(with: &passkey)
        kit.clock.advance(by: .minutes(11))
        let strong = ProofRequirement(.phishingResistant, within: .minutes(3))
        #expect(kit.requires(strong, of: tokens))
        let output = try kit.stepUp(with: passkey, by: tokens)
        try expectEqual(claims(output.access)["acr"]?.stringValue, "phr")
        #expect(!kit.requires(strong, of: tokens))
        kit.clock.advance(by: .minutes(3))
        #expect(kit.requires(strong, of: tokens))
        #expect(!kit.requires(ProofRequirement(.phishingResistant), of: tokens))
    }

    @Test func `a passkey that does not verify its user is refused`() throws {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        let tokens = try kit.signUp(with: &passkey)
        expectError(.passkey(.refused)) {
            try kit.stepUp(with: passkey, by: tokens) { $0.data.flags.remove(.userVerified) }
        }
        try expectEqual(kit.refusals(of: tokens.user.id), ["userNotVerified"])
    }

    @Test func `ceremonies of other purposes and of other accounts prove nothing`() throws {
        let kit = try kit()
        var (mine, other) = (try SoftwareAuthenticator(), try SoftwareAuthenticator(seed: 2))
        let tokens = try kit.signUp(with: &mine)
        let others = try kit.signUp(with: &other)
        for (begun, passkey) in [
            (try kit.begin(.signIn), mine), (try kit.begin(.stepUp, kit.caller(others)), mine),
            (try kit.begin(.stepUp, kit.caller(others)), other),
        ] {
            let error = kit.error { _ = try kit.stepUp(with: passkey, in: begun, by: tokens) }
            expectEqual(error, .passkey(.ceremonyInvalid))
        }
        // A ceremony is good once, and the passkey of another account is not good at all.
        let begun = try kit.begin(.stepUp, kit.caller(tokens))
        expectError(.passkey(.refused)) { try kit.stepUp(with: other, in: begun, by: tokens) }
        let used = kit.error { _ = try kit.stepUp(with: mine, in: begun, by: tokens) }
        expectEqual(used, .passkey(.ceremonyInvalid))
    }

    @Test func `an identity token of the account's own provider is accepted as a proof only once`()
        throws
    {
        let kit = try kit()
        let tokens = try kit.session(of: "001")
        let others = try kit.session(of: "002")
        kit.clock.advance(by: .minutes(11))
        let proof = kit.proof("apple", "001")
        let output = try kit.stepUp(.identity(proof), by: tokens)
        try expectEqual(claims(output.access)["amr"]?.arrayValue?.map(\.stringValue), ["fed"])
        expectError(.signIn(.identityTokenReused)) { try kit.stepUp(.identity(proof), by: tokens) }
        for subject in ["002", "unknown"] {
            expectError(.method(.notFound)) {
                try kit.stepUp(.identity(kit.proof("apple", subject)), by: tokens)
            }
        }
        #expect(enrolErrorIsOld(kit, others))
    }

    private func enrolErrorIsOld(_ kit: AuthKit, _ tokens: SessionTokens) -> Bool {
        kit.requires(ProofRequirement(within: .minutes(10)), of: tokens)
    }

    // MARK: The session

    @Test func `a refresh keeps the proof and does not renew it`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        kit.clock.advance(by: .minutes(11))
        let at = kit.clock.now.seconds
        _ = try kit.stepUp(.password(AuthKit.password), by: tokens)
        kit.clock.advance(by: .minutes(3))
        let refreshed = try kit.refresh(tokens)
        try expectEqual(claims(refreshed.access)["auth_time"]?.int64Value, at)
        #expect(!kit.requires(ProofRequirement(within: .minutes(10)), of: refreshed))
        kit.clock.advance(by: .minutes(7))
        #expect(kit.requires(ProofRequirement(within: .minutes(10)), of: refreshed))
    }

    @Test func `a recent weak proof and an old strong one are not a recent strong proof`()
        throws
    {
        let kit = try kit()
        var passkey = try SoftwareAuthenticator()
        try kit.provenAccount()
        try kit.add(&passkey, by: try kit.logIn())
        let tokens = try kit.signIn(with: passkey).tokens
        kit.clock.advance(by: .minutes(11))
        _ = try kit.stepUp(.password(AuthKit.password), by: tokens)
        #expect(!kit.requires(ProofRequirement(within: .minutes(1)), of: tokens))
        #expect(!kit.requires(ProofRequirement(.phishingResistant), of: tokens))
        #expect(
            kit.requires(ProofRequirement(.phishingResistant, within: .minutes(10)), of: tokens))
    }

    @Test func `a step-up does not prolong its session`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        let before = try kit.authenticate(tokens).session
        kit.clock.advance(by: .minutes(11))
        _ = try kit.stepUp(.password(AuthKit.password), by: tokens)
        let after = try kit.authenticate(tokens).session
        #expect(after.expiresAt == before.expiresAt && after.createdAt == before.createdAt)
        expectEqual(after.generation, before.generation)
    }

    @Test func `a concurrent refresh and step-up both take effect`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let tokens = try kit.logIn()
        kit.clock.advance(by: .minutes(11))
        let stale = try kit.authenticate(tokens).session
        let output = try kit.stepUp(.password(AuthKit.password), by: tokens)
        // The writes of refreshes that had read the session before, with and without rotation.
        for conditions in [SessionRecord.unchanged(stale), SessionRecord.unchangedProofs(stale)] {
            #expect(throws: StoreFailure.conditionFailed) {
                try kit.store.write([.put(SessionRecord.item(stale), when: conditions)])
            }
        }
        #expect(try kit.authenticate(output.access.reveal()).session.proofs.stepUp != nil)
    }
}

extension AuthKit {
    func stepUp(_ answer: StepUp.Answer, by tokens: SessionTokens) throws -> StepUp.Output {
        try auth.stepUp(answer, caller(tokens))
    }

    func stepUp(
        with passkey: SoftwareAuthenticator, by tokens: SessionTokens,
        change: (inout AssertionDraft) -> Void = { _ in }
    ) throws -> StepUp.Output {
        try stepUp(
            with: passkey, in: try begin(.stepUp, caller(tokens)), by: tokens, change: change)
    }

    func stepUp(
        with passkey: SoftwareAuthenticator, in begun: BegunCeremony, by tokens: SessionTokens,
        change: (inout AssertionDraft) -> Void = { _ in }
    ) throws -> StepUp.Output {
        var draft = passkey.assertion(begun.challenge)
        change(&draft)
        let response = try draft.response(signedWith: passkey.key)
        return try stepUp(.passkey(ceremony: begun.secret, response), by: tokens)
    }

    /// Whether a route that has the requirement asks the session for a step-up.
    fileprivate func requires(_ requirement: ProofRequirement, of tokens: SessionTokens) -> Bool {
        let error = error(of: {
            let principal = try auth.authenticate(caller(tokens), for: .me)
            try auth.require(requirement, of: principal)
        })
        #expect(error == nil || error == .session(.stepUpRequired(requirement)))
        return error != nil
    }
}
