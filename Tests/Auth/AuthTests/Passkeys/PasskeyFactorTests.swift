import WebAuthnTestSupport

@Suite("Passkeys and the second factor") struct PasskeyFactorTests {
    /// An account with a password, an authenticator app and a passkey.
    private struct Account {
        let protected: ProtectedAccount
        var passkey: SoftwareAuthenticator

        var kit: AuthKit { protected.kit }

        init(_ change: (inout Policy) -> Void = { _ in }) throws {
            protected = try ProtectedAccount(.passkeys(change))
            passkey = try SoftwareAuthenticator()
            try protected.kit.add(&passkey, by: protected.tokens)
            protected.kit.finishReply()
        }

        func beginRemoval() throws {
            _ = try kit.auth.lostSecondFactor.begin(
                of: protected.user.id.text, because: "Lost phone", by: .password, Caller())
        }

        var unverified: SoftwareAuthenticator {
            var passkey = passkey
            passkey.flags.remove(.userVerified)
            return passkey
        }
    }

    // MARK: A passkey as the first factor

    @Test func `a passkey that verified the user counts as two factors`() throws {
        let account = try Account()
        let kit = account.kit
        let tokens = try kit.signIn(with: account.passkey).tokens
        let session = try kit.authenticate(tokens).session
        #expect(session.proofs.latest.includesSecondFactor)
        #expect(throws: Never.self) { try kit.link("google", "own", by: tokens) }
    }

    @Test func `without user verification the second factor is required`() throws {
        let account = try Account()
        let kit = account.kit
        let before = try kit.sessions(of: account.protected.user.id).count
        let result = try kit.signIn(with: account.unverified)
        guard case .secondFactorRequired(let ticket) = result else {
            Issue.record("a session")
            return
        }
        #expect(!ticket.acceptsPasskey)
        try expectEqual(kit.sessions(of: account.protected.user.id).count, before)
        try expectEqual(kit.audit(of: account.protected.user.id).last, "secondFactorRequired")
        let tokens = try account.protected.complete(ticket.reveal())
        let session = try kit.authenticate(tokens).session
        #expect(session.origin.provider == "passkey" && session.proofs.latest.includesSecondFactor)
        expectEqual(session.origin.passkey, try account.passkey.id)
    }

    @Test func `an account without a second factor needs none`() throws {
        let kit = try AuthKit(policy: .passkeys())
        var passkey = try SoftwareAuthenticator()
        passkey.flags.remove(.userVerified)
        _ = try kit.signUp(with: &passkey)
        let tokens = try kit.signIn(with: passkey).tokens
        try expectEqual(kit.authenticate(tokens).session.proofs.latest.includesSecondFactor, false)
    }

    @Test func `the ticket of a removed passkey is refused`() throws {
        let account = try Account()
        let ticket = try account.kit.ticket(try account.kit.signIn(with: account.unverified))
        try account.kit.auth.removePasskey(try account.passkey.id, account.protected.caller)
        expectEqual(account.protected.error(ticket), .secondFactor(.ticketInvalid))
    }

    // MARK: The removal of a lost second factor

    private enum Use: CaseIterable { case signIn, secondFactor, stepUp }

    @Test(arguments: Use.allCases)
    private func `using a passkey stops the removal of the second factor`(_ use: Use) throws {
        let account = try Account { $0.secondFactors?.removalDelay = .hours(24) }
        let kit = account.kit
        try account.beginRemoval()
        kit.clock.advance(by: .minutes(2))
        switch use {
        case .signIn: _ = try kit.signIn(with: account.passkey).tokens
        case .secondFactor:
            // Also without user verification, because the password was the first factor.
            _ = try kit.complete(try account.protected.ticket(), with: account.unverified)
        case .stepUp:
            let begun = try kit.begin(.stepUp, account.protected.caller)
            let response = try account.passkey.assertion(begun.challenge)
                .response(signedWith: account.passkey.key)
            _ = try kit.stepUp(
                .passkey(ceremony: begun.secret, response), by: account.protected.tokens)
        }
        try expectEqual(account.protected.factor?.removableFrom, nil)
        let events = try kit.audit(of: account.protected.user.id)
        expectEqual(events.last, "secondFactorRemovalStopped")
        kit.clock.advance(by: .hours(24))
        expectError(.unavailable(.contention)) {
            _ = try kit.auth.administerUser(
                account.protected.user.id.text, .removeSecondFactor, by: .password, Caller())
        }
        // The app still works.
        _ = try account.protected.complete(try account.protected.ticket())
        try expectEqual(
            kit.audit(of: account.protected.user.id)
                .count { $0 == "secondFactorRemovalStopped" }, 1)
    }

    @Test func `a passkey that proves only one factor, or is refused, does not stop the removal`()
        throws
    {
        let account = try Account { $0.secondFactors?.removalDelay = .hours(24) }
        let kit = account.kit
        try account.beginRemoval()
        let from = try account.protected.factor?.removableFrom
        _ = try kit.ticket(try kit.signIn(with: account.unverified))
        var forged = account.passkey
        forged.key = try .es256(seed: 99)
        expectError(.passkey(.refused)) { try kit.signIn(with: forged) }
        #expect(from != nil)
        try expectEqual(account.protected.factor?.removableFrom, from)
    }

    // MARK: A passkey as the second factor

    @Test func `a passkey without user verification is a second factor too`() throws {
        let account = try Account()
        let ticket = try account.protected.ticket()
        let tokens = try account.kit.complete(ticket, with: account.unverified)
        #expect(try account.kit.authenticate(tokens).session.proofs.latest.includesSecondFactor)
    }

    @Test func `a passkey is not the second factor of a sign-in by passkey`() throws {
        let account = try Account()
        let kit = account.kit
        let good = try account.protected.ticket()
        let begun = try kit.begin(.secondFactor(ticket: good))
        let ticket = try kit.ticket(try kit.signIn(with: account.unverified))
        expectError(.passkey(.notFound)) { try kit.begin(.secondFactor(ticket: ticket)) }
        // Nor with a ceremony that began for another ticket.
        let response = try account.passkey.assertion(begun.challenge)
            .response(signedWith: account.passkey.key)
        expectError(.passkey(.ceremonyInvalid)) {
            _ = try kit.auth.completeSignInWithPasskey(
                ticket: ticket, ceremony: begun.secret, response, Caller())
        }
    }

    /// GHSA-f66q-9rf6-8795 (flask-security): a credential of any user satisfied the check.
    @Test func `another account's passkey is not the second factor`() throws {
        let account = try Account()
        let kit = account.kit
        var other = try SoftwareAuthenticator(seed: 2)
        _ = try kit.signUp(with: &other)
        let ticket = try account.protected.ticket()
        expectError(.passkey(.refused)) { try kit.complete(ticket, with: other) }
        try expectEqual(kit.refusals(of: account.protected.user.id), ["unknown"])
        #expect(throws: Never.self) { try kit.complete(ticket, with: account.passkey) }
    }

    @Test func `a removed passkey is not a second factor, even if a backup has it`() throws {
        let account = try Account()
        let kit = account.kit
        let ticket = try account.protected.ticket()
        let begun = try kit.begin(.secondFactor(ticket: ticket))
        let key = StoreLayout.passkey(try account.passkey.id, of: account.protected.user.id)
        let row = try #require(try kit.store.get(key))
        try kit.auth.removePasskey(try account.passkey.id, account.protected.caller)
        try kit.store.write([.put(row, when: [])])
        let response = try account.passkey.assertion(begun.challenge)
            .response(signedWith: account.passkey.key)
        expectError(.passkey(.refused)) {
            _ = try kit.auth.completeSignInWithPasskey(
                ticket: ticket, ceremony: begun.secret, response, Caller())
        }
    }

    @Test func `a wrong signature does not use up the ticket`() throws {
        let account = try Account()
        let kit = account.kit
        var forged = account.passkey
        forged.key = try .es256(seed: 99)
        let ticket = try account.protected.ticket()
        expectError(.passkey(.refused)) { try kit.complete(ticket, with: forged) }
        try expectEqual(kit.refusals(of: account.protected.user.id), ["badSignature"])
        #expect(throws: Never.self) { try account.protected.complete(ticket) }
    }
}
