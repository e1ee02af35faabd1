@Suite("Mail budget") struct MailBudgetTests {
    private func kit(
        hour: Int64? = nil, day: Int64? = nil, recipient: Int64? = nil
    ) throws -> AuthKit {
        try AuthKit(
            policy: .passwords().with {
                $0.mailCodes = MailCodePolicy()
                $0.mailBudget = MailBudget(perHour: hour, perDay: day, perRecipient: recipient)
            })
    }

    @discardableResult
    private func register(_ kit: AuthKit, _ text: String) throws -> String? {
        let input = Register.Input(email: try kit.email(text), password: AuthKit.password)
        let output = try kit.auth.register(input, Caller())
        kit.finishReply()
        return output.requestSecret
    }

    private func forgot(_ kit: AuthKit, _ text: String = "ada@example.com") throws {
        _ = try kit.askForReset(text)
    }

    private func magicLink(_ kit: AuthKit, _ text: String) throws {
        _ = try kit.auth.requestMagicLink(try kit.email(text), Caller())
        kit.finishReply()
    }

    private func withheld(_ kit: AuthKit) -> [MailOutcome] {
        kit.mail.outcomes.filter { if case .withheld = $0 { true } else { false } }
    }

    @Test(arguments: [Span.hours(1), .days(1)])
    func `mails to strangers are limited in each window`(window: Span) throws {
        let kit = try window == .hours(1) ? kit(hour: 2) : kit(day: 2)
        for name in ["ada", "grace", "eve"] {
            #expect(try register(kit, "\(name)@example.com") != nil)
        }
        expectEqual(kit.mail.mails.map(\.to), ["ada@example.com", "grace@example.com"])
        expectEqual(withheld(kit), [.withheld(.verifyEmail, window == .hours(1) ? .hour : .day)])
        kit.clock.advance(by: window)
        try register(kit, "eve@example.com")
        expectEqual(kit.mail.mails.last?.to, "eve@example.com")
    }

    @Test func `all kinds of mails to strangers share a budget`() throws {
        let kit = try kit(hour: 3)
        try register(kit, "ada@example.com")
        _ = try kit.auth.resendVerification(try kit.email("ada@example.com"), Caller())
        try magicLink(kit, "grace@example.com")
        try magicLink(kit, "eve@example.com")
        expectEqual(kit.mail.mails.count, 3)
        expectEqual(withheld(kit), [.withheld(.magicLink, .hour)])
    }

    @Test func `mails to one recipient are limited per day across all clients`() throws {
        let kit = try kit(recipient: 4)
        try kit.account()
        try forgot(kit)
        try magicLink(kit, "ADA@example.com")
        try register(kit, "ada@example.com")
        expectEqual(kit.mail.mails.count, 4)
        try forgot(kit)
        try magicLink(kit, "ada@example.com")
        try register(kit, "ada@example.com")
        expectEqual(kit.mail.mails.count, 4)
        expectEqual(
            withheld(kit),
            [
                .withheld(.resetPassword, .recipient), .withheld(.magicLink, .recipient),
                .withheld(.alreadyRegistered, .recipient),
            ])
        try forgot(kit, "grace@example.com")
        try magicLink(kit, "grace@example.com")
        expectEqual(kit.mail.mails.last?.to, "grace@example.com")
        kit.clock.advance(by: .days(1))
        try forgot(kit)
        expectEqual(kit.mail.mails.last?.to, "ada@example.com")
    }

    @Test func `users get their links when strangers have used up the budget`() throws {
        let kit = try kit(hour: 1)
        try kit.account()
        try register(kit, "eve@example.com")
        expectEqual(withheld(kit).count, 1)
        try magicLink(kit, "ada@example.com")
        try forgot(kit)
        expectEqual(kit.mail.mails.map(\.kind), [.verifyEmail, .magicLink, .resetPassword])
    }

    @Test func `users who sign in by links do not use up the budget of strangers`() throws {
        let kit = try kit(hour: 2)
        try kit.account()
        for _ in 0..<5 { try magicLink(kit, "ada@example.com") }
        try magicLink(kit, "grace@example.com")
        expectEqual(kit.mail.mails.count, 7)
    }

    /// Without a mail, neither link nor code exists.
    @Test func `a withheld mail costs as much as a sent one, and its code is invalid`() throws {
        let (kit, store) = try AuthKit.withCountingStore(try self.kit(hour: 1).auth.policy)
        store.forget()
        try register(kit, "ada@example.com")
        let cost = store.cost
        store.forget()
        let secret = try #require(try register(kit, "eve@example.com"))
        // The row of a sent mail is deleted after the reply.
        expectEqual(store.cost.roundTrips, cost.roundTrips - 1)
        #expect(store.cost.itemsRead == cost.itemsRead && store.cost.counters == cost.counters)
        expectEqual(
            kit.error {
                _ = try kit.auth.completeRegistration(
                    .code("12345678", requestSecret: secret), password: AuthKit.password, Caller())
            }, .emailLink(.invalidCode))
    }

    @Test func `notices of changes do not count in the mail budget`() throws {
        let kit = try kit(recipient: 1)
        try kit.account()
        let tokens = try kit.logIn()
        _ = try kit.auth.changePassword(
            current: AuthKit.password, new: "another battery staple", kit.caller(tokens))
        kit.finishReply()
        expectEqual(kit.mail.mails.map(\.kind), [.verifyEmail, .passwordChanged])
    }
}
