@Suite("Authenticator apps of an account") struct AuthenticatorTests {
    private func kit(store: (any KeyValueStore)? = nil, clock: TestClock = TestClock()) throws
        -> AuthKit
    {
        try AuthKit(policy: ProtectedAccount.policy(), clock: clock, store: store)
    }

    // MARK: Enrolment

    @Test func `sign-in needs no code of an unconfirmed app`() throws {
        let kit = try kit()
        let user = try kit.provenAccount()
        let session = try kit.logIn()
        _ = try kit.enrol(session)
        try expectEqual(kit.user(user.id)?.hasSecondFactor, false)
        #expect(throws: Never.self) { try kit.logIn() }
        try expectEqual(kit.authenticate(session).user.id, user.id)
    }

    @Test func `the first code enables the second factor and replaces every session`() throws {
        let kit = try kit()
        let user = try kit.provenAccount()
        let (mine, other) = (try kit.logIn(), try kit.logIn())
        let app = try kit.enrol(mine)
        let output = try kit.auth.confirmAuthenticator(
            code: kit.code(of: app), ProtectedAccount.caller(mine))
        expectEqual(Set(output.recoveryCodes.map { $0.reveal() }).count, 10)
        for old in [mine, other] {
            #expect(throws: AuthError.self) { try kit.authenticate(old) }
            #expect(throws: AuthError.self) { try kit.refresh(old) }
        }
        #expect(try kit.authenticate(output.tokens).user.hasSecondFactor)
        #expect(throws: Never.self) { try kit.refresh(output.tokens) }
        let audit = try kit.audit(of: user.id)
        #expect(audit.contains("secondFactorEnrolled") && audit.contains("secondFactorEnabled"))
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.secondFactorChanged])
        #expect(kit.mail.mails.last?.values["added"] != nil)
    }

    @Test func `neither the secret nor a recovery code is stored in clear`() throws {
        let account = try ProtectedAccount()
        let item = try #require(
            try account.kit.store.get(StoreLayout.secondFactor(of: account.user.id)))
        let secret = account.app.secret.reveal()
        for case .bytes(let bytes) in item.attributes.values {
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
        }
        try expectEqual(account.factor?.recoveryCodes.allSatisfy { $0.count == 32 }, true)
    }

    @Test func `another session cannot confirm the enrolment`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let (mine, other) = (try kit.logIn(), try kit.logIn())
        let app = try kit.enrol(mine)
        expectError(.secondFactor(.notEnrolled)) {
            _ = try kit.auth.confirmAuthenticator(
                code: kit.code(of: app), ProtectedAccount.caller(other))
        }
    }

    @Test func `an enrolment waits fifteen minutes for its code`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let session = try kit.logIn()
        let app = try kit.enrol(session)
        // A wrong code does not extend it.
        kit.clock.advance(by: .minutes(14))
        _ = kit.error {
            _ = try kit.auth.confirmAuthenticator(code: "x", ProtectedAccount.caller(session))
        }
        kit.clock.advance(by: .seconds(59))
        expectError(.secondFactor(.wrongCode)) {
            try kit.auth.confirmAuthenticator(code: "x", ProtectedAccount.caller(session))
        }
        kit.clock.advance(by: .seconds(1))
        #expect(throws: AuthError.self) {
            try kit.auth.confirmAuthenticator(
                code: kit.code(of: app), ProtectedAccount.caller(session))
        }
    }

    @Test func `a second enrolment replaces the first`() throws {
        let kit = try kit()
        try kit.provenAccount()
        let session = try kit.logIn()
        let (first, second) = (try kit.enrol(session), try kit.enrol(session))
        let caller = ProtectedAccount.caller(session)
        expectError(.secondFactor(.wrongCode)) {
            try kit.auth.confirmAuthenticator(code: kit.code(of: first), caller)
        }
        #expect(throws: Never.self) {
            try kit.auth.confirmAuthenticator(code: kit.code(of: second), caller)
        }
    }

    // MARK: Removal

    @Test func `removing the second factor needs a code, and replaces every session`() throws {
        let account = try ProtectedAccount()
        let other = try account.complete(try account.ticket())
        account.kit.clock.advance(by: .seconds(30))
        expectError(.secondFactor(.wrongCode)) {
            try account.kit.auth.removeAuthenticator(.code(account.wrongCode), account.caller)
        }
        let tokens = try account.kit.auth.removeAuthenticator(.code(account.code), account.caller)
        for old in [account.tokens, other] {
            #expect(throws: AuthError.self) { try account.kit.authenticate(old) }
        }
        try expectEqual(account.kit.authenticate(tokens).user.hasSecondFactor, false)
        try expectEqual(account.factor, nil)
        #expect(throws: Never.self) { try account.kit.logIn() }
        account.kit.finishReply()
        expectEqual(
            account.kit.mail.mails.map(\.kind), [.secondFactorChanged, .secondFactorChanged])
        #expect(try account.kit.audit(of: account.user.id).contains("secondFactorRemoved"))
    }

    @Test func `removing needs a recent sign-in`() throws {
        let account = try ProtectedAccount()
        account.kit.clock.advance(by: .minutes(9))
        expectError(.recentSignInRequired()) {
            try account.kit.auth.removeAuthenticator(.code(account.code), account.caller)
        }
    }

    @Test func `a ticket expires when the second factor is removed`() throws {
        let account = try ProtectedAccount()
        let ticket = try account.ticket()
        _ = try account.kit.auth.removeAuthenticator(.code(account.code), account.caller)
        account.kit.clock.advance(by: .seconds(30))
        expectEqual(account.error(ticket), .secondFactor(.ticketInvalid))
    }

    // MARK: Recovery codes

    @Test func `new recovery codes replace the old ones`() throws {
        let account = try ProtectedAccount()
        expectError(.secondFactor(.wrongCode)) {
            try account.kit.auth.replaceRecoveryCodes(code: account.wrongCode, account.caller)
        }
        let new = try account.kit.auth.replaceRecoveryCodes(code: account.code, account.caller)
        expectEqual(new.count, 10)
        let ticket = try account.ticket()
        let old = SecondFactorAnswer.recoveryCode(account.recoveryCodes[0])
        expectEqual(account.error(ticket, old), .secondFactor(.wrongCode))
        _ = try account.complete(ticket, .recoveryCode(new[9].reveal()))
        #expect(try account.kit.audit(of: account.user.id).contains("recoveryCodesReplaced"))
        account.kit.finishReply()
        let mails = account.kit.mail.mails.map(\.kind)
        expectEqual(mails.count { $0 == .secondFactorChanged }, 3)
    }

    @Test func `guesses of signed-in users are counted, too`() throws {
        let account = try ProtectedAccount()
        for _ in 0..<5 {
            _ = account.kit.error {
                _ = try account.kit.auth.replaceRecoveryCodes(
                    code: account.wrongCode, account.caller)
            }
        }
        let error = account.kit.error {
            _ = try account.kit.auth.removeAuthenticator(.code(account.code), account.caller)
        }
        expectEqual(error?.isRateLimited, true)
    }
}
