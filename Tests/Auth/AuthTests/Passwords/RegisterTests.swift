@Suite("Registering") struct RegisterTests {
    /// An owner of the mailbox who opens the link of an attacker's registration must not get an
    /// account whose password the attacker knows.
    @Test func `the link makes no account without the registered password`() throws {
        let kit = try AuthKit(policy: .passwords())
        _ = try kit.auth.register(
            Register.Input(email: try kit.email(), password: "chosen by a stranger"), Caller())
        kit.finishReply()
        let token = try kit.mailedToken()
        for password in [nil, "another password"] {
            expectError(.password(.wrongCredentials)) {
                try kit.auth.completeRegistration(token: token, password: password, Caller())
            }
        }
        try expectEqual(
            kit.store.get(StoreLayout.emailClaim(try kit.email("ada@example.com"))), nil)
    }

    @Test func `a second registration does not invalidate the first one's link`() throws {
        let kit = try AuthKit(policy: .passwords())
        _ = try kit.register("ada@example.com", "the first password")
        kit.finishReply()
        let token = try kit.mailedToken()
        _ = try kit.register("ada@example.com", "the second password")
        kit.finishReply()
        let other = try kit.mailedToken()
        _ = try kit.auth.completeRegistration(
            token: token, password: "the first password", Caller())
        // The address is taken now, even for links that were sent before.
        let error = kit.error {
            _ = try kit.auth.completeRegistration(
                token: other, password: "the second password", Caller())
        }
        expectEqual(error, .emailLink(.invalid))
        #expect(kit.error { _ = try kit.logIn("ada@example.com", "the second password") } != nil)
    }

    @Test func `a taken address gets the same answer, and its owner a mail`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let sent = kit.mail.mails.count
        let input = Register.Input(email: try kit.email("ADA@example.com"), password: "stranger's")
        try expectEqual(kit.auth.register(input, Caller()), .verificationSent())
        kit.finishReply()
        expectEqual(kit.mail.mails.dropFirst(sent).map(\.kind), [.alreadyRegistered])
        expectEqual(kit.mail.mails.last?.values["link"], nil)
    }

    @Test func `a link expires after its lifetime`() throws {
        let kit = try AuthKit(policy: .passwords())
        _ = try kit.register("ada@example.com")
        kit.finishReply()
        let token = try kit.mailedToken()
        kit.clock.advance(by: .hours(24))
        expectError(.emailLink(.invalid)) {
            _ = try kit.auth.completeRegistration(
                token: token, password: AuthKit.password, Caller())
        }
    }

    @Test func `resending to an unknown or a taken address sends nothing`() throws {
        let kit = try AuthKit(policy: .passwords())
        try kit.account()
        let sent = kit.mail.mails.count
        try kit.auth.resendVerification(try kit.email(), Caller())
        try kit.auth.resendVerification(try kit.email("nobody@example.com"), Caller())
        kit.finishReply()
        expectEqual(kit.mail.mails.count, sent)
    }

    @Test func `a registration does not take an address claimed by a federated account`() throws {
        let kit = try AuthKit(policy: .passwords())
        _ = try kit.register("001@example.com", "stranger's")
        kit.finishReply()
        let token = try kit.mailedToken()
        let owner = try kit.session(of: "001").user
        expectEqual(owner.login, "001@example.com")
        expectError(.emailLink(.invalid)) {
            try kit.auth.completeRegistration(token: token, password: "stranger's", Caller())
        }
    }

    @Test func `a password that breaks a rule is refused with the rule`() throws {
        let kit = try AuthKit(
            policy: .passwords(.immediate).with {
                $0.passwords?.rules.required = [.uppercase, .number, .special]
            })
        let refusals: [(String, PasswordDefect)] = [
            ("Ab1!", .tooShort(charactersMin: 8)),
            ("abcdefg1!", .lacks(.uppercase)), ("Abcdefgh!", .lacks(.number)),
            ("Abcdefgh1", .lacks(.special)),
            (String(repeating: "Aa1!", count: 257), .tooLong(bytesMax: 1024)),
        ]
        for (password, defect) in refusals {
            expectError(.password(.refused(defect))) {
                let input = Register.Input(email: try kit.email(), password: password)
                _ = try kit.auth.register(input, Caller())
            }
        }
        let accepted = Register.Input(email: try kit.email(), password: "Abcdef1!")
        #expect(throws: Never.self) { try kit.auth.register(accepted, Caller()) }
    }
}
