@Suite("Signing in with a second factor") struct CompleteSignInTests {
    @Test func `the session has its first factor and its device`() throws {
        let account = try ProtectedAccount()
        var input = LogIn.Input(email: try account.kit.email(), password: AuthKit.password)
        input.device = DeviceClaim(name: "Ada's iPhone", system: "iOS 26")
        let ticket = try account.kit.ticket(try account.kit.auth.logIn(input, Caller()))
        let tokens = try account.kit.auth.completeSignIn(
            ticket: ticket, .code(account.code),
            Caller(address: "192.0.2.7", userAgent: "Shell/2.0"))
        let session = try account.kit.authenticate(tokens).session
        expectEqual(
            session.origin,
            SessionOrigin(
                provider: "email", deviceName: "Ada's iPhone", deviceSystem: "iOS 26",
                address: "192.0.2.7", userAgent: "Shell/2.0"))
    }

    @Test func `a mailed link opens no session until a code is given`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        let before = try kit.sessions(of: account.user.id).count
        let input = try kit.magicLink()
        let result = try kit.auth.redeemMagicLink(input, Caller()).result
        expectError(.secondFactor(.required)) { try result.tokens }
        try expectEqual(kit.sessions(of: account.user.id).count, before)
        try expectEqual(kit.audit(of: account.user.id).last, "secondFactorRequired")
        let tokens = try account.complete(try kit.ticket(result))
        #expect(try kit.authenticate(tokens).user.hasSecondFactor)
    }

    @Test func `a session that replaces another does not ask for the second factor`() throws {
        let account = try ProtectedAccount()
        let kit = account.kit
        try kit.link("apple", "001", by: account.tokens)
        let tokens = try kit.auth.removeMethod("apple", account.caller)
        #expect(try kit.authenticate(tokens).user.hasSecondFactor)
        #expect(kit.error { _ = try kit.authenticate(account.tokens) } != nil)
    }

    @Test func `a reset by mail does not replace the second factor`() throws {
        let account = try ProtectedAccount()
        let early = try account.ticket()
        try account.kit.askForReset()
        try account.kit.reset(try account.kit.mailedToken(), to: "another password")
        try expectEqual(account.kit.user(account.user.id)?.hasSecondFactor, true)
        let ticket = try account.ticket("another password")
        // A ticket from before the password change is no longer valid.
        expectEqual(account.error(early), .secondFactor(.ticketInvalid))
        try expectEqual(account.complete(ticket).user.id, account.user.id)
    }

    @Test func `a contract without second factors refuses an account that has one`() throws {
        let clock = TestClock()
        let store = MemoryStore(clock: clock.wall)
        let account = try ProtectedAccount(clock: clock, store: store)
        let other = try AuthKit(
            policy: .passwords(.immediate).with { $0.secondFactors = nil }, clock: clock,
            store: store, seed: 2)
        expectError(.secondFactor(.required)) { try other.firstFactor() }
        expectError(.secondFactor(.required)) { try account.kit.logIn() }
    }

    // MARK: Tickets

    @Test func `a reset link is not a ticket`() throws {
        let account = try ProtectedAccount()
        try account.kit.askForReset()
        expectEqual(account.error(try account.kit.mailedToken()), .secondFactor(.ticketInvalid))
    }

    @Test func `a ticket is bound to its account`() throws {
        let account = try ProtectedAccount()
        let ticket = try account.ticket()
        try account.kit.provenAccount("grace@example.com")
        let session = try account.kit.logIn("grace@example.com")
        let app = try account.kit.enrol(session)
        _ = try account.kit.auth.confirmAuthenticator(
            code: account.kit.code(of: app), ProtectedAccount.caller(session))
        account.kit.clock.advance(by: .seconds(60))
        let code = account.kit.code(of: app)
        expectEqual(account.error(ticket, .code(code)), .secondFactor(.wrongCode))
    }

    @Test func `signing out everywhere invalidates tickets, too`() throws {
        let account = try ProtectedAccount()
        let ticket = try account.ticket()
        try account.kit.auth.signOut(refreshToken: nil, scope: .all, account.caller)
        expectEqual(account.error(ticket), .secondFactor(.ticketInvalid))
    }

    @Test(arguments: [false, true])
    func `an account that was disabled meanwhile gets no session`(isAfterCheck: Bool) throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let account = try ProtectedAccount(clock: clock, store: store)
        let ticket = try account.ticket()
        let disable: @Sendable () throws -> Void = { try account.kit.disable(account.user) }
        if isAfterCheck { store.beforeNextWrite(disable) } else { try disable() }
        expectEqual(account.error(ticket), .account(.disabled))
    }

    // MARK: Codes

    @Test func `wrong codes are limited, recovery codes are not`() throws {
        let account = try ProtectedAccount()
        let ticket = try account.ticket()
        for _ in 0..<5 {
            expectEqual(account.error(ticket, .code(account.wrongCode)), .secondFactor(.wrongCode))
        }
        // The right code is refused too: otherwise guesses would be confirmed.
        for code in [account.wrongCode, account.code] {
            expectEqual(account.error(ticket, .code(code))?.isRateLimited, true)
        }
        let answer = SecondFactorAnswer.recoveryCode(account.recoveryCodes[0])
        try expectEqual(account.complete(ticket, answer).user.id, account.user.id)
        // The limit is temporary.
        account.kit.clock.advance(by: .minutes(5))
        try expectEqual(account.complete(try account.ticket()).user.id, account.user.id)
    }

    @Test func `a guess that loses a race is counted before it is answered`() throws {
        let clock = TestClock()
        let store = FaultyStore(MemoryStore(clock: clock.wall))
        let account = try ProtectedAccount(clock: clock, store: store)
        let ticket = try account.ticket()
        for _ in 0..<4 { _ = account.error(ticket, .code(account.wrongCode)) }
        store.beforeNextWrite { _ = account.error(ticket, .code(account.wrongCode)) }
        expectEqual(account.error(ticket, .code(account.wrongCode))?.isRateLimited, true)
    }

    @Test func `wrong answers are audited`() throws {
        let account = try ProtectedAccount()
        let ticket = try account.ticket()
        account.kit.clock.advance(by: .seconds(1))
        _ = account.error(ticket, .code(account.wrongCode))
        account.kit.clock.advance(by: .seconds(1))
        _ = account.error(ticket, .recoveryCode("ABCD"))
        let audit = try account.kit.audit(in: .attempts(on: account.user.id))
        expectEqual(audit, ["secondFactorFailed", "secondFactorFailed"])
    }

    @Test func `a recovery code can be used only once, and its use is mailed`() throws {
        let account = try ProtectedAccount()
        let answer = SecondFactorAnswer.recoveryCode(account.recoveryCodes[3])
        account.kit.finishReply()
        let mails = account.kit.mail.mails.count
        let (one, other) = (try account.ticket(), try account.ticket())
        _ = try account.complete(one, answer)
        expectEqual(account.error(other, answer), .secondFactor(.wrongCode))
        try expectEqual(account.factor?.recoveryCodes.count, 9)
        account.kit.finishReply()
        let notices = account.kit.mail.mails.dropFirst(mails)
        expectEqual(notices.map(\.kind), [.secondFactorChanged])
        #expect(notices.first?.values["used"] != nil)
    }
}
