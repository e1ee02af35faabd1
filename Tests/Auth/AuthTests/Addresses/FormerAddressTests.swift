@Suite("Former addresses") struct FormerAddressTests {
    let clock = TestClock()
    let kit: AuthKit

    init() throws { kit = try AuthKit(policy: .emailChanges(), clock: clock) }

    /// The session of a new account with a password.
    private func signedUp(_ email: String = "ada@example.com") throws -> SessionTokens {
        try kit.account(email)
        return try kit.logIn(email)
    }

    private func error(_ operation: () throws -> Void) -> AuthError? { kit.error(of: operation) }

    @Test func `nobody else claims the former address while it can be restored`() throws {
        let ada = try signedUp()
        try kit.moveTo("ada@new.example", by: ada)
        let eve = try signedUp("eve@example.com")
        try kit.ask(for: "ada@example.com", by: eve)
        kit.finishReply()
        expectEqual(kit.mails(to: "ada@example.com").last, .alreadyRegistered)
        _ = try kit.register("ada@example.com")
        kit.finishReply()
        expectEqual(kit.mails(to: "ada@example.com").last, .alreadyRegistered)
        try expectEqual(kit.owner(of: "ada@example.com"), ada.user.id)

        clock.advance(by: .days(7))
        try expectEqual(kit.owner(of: "ada@example.com"), nil)
        #expect(try kit.account().id != ada.user.id)
    }

    @Test func `the former mailbox gets no link to sign in`() throws {
        let ada = try signedUp()
        let secret = try kit.auth.requestMagicLink(try kit.email(), Caller())
        kit.finishReply()
        let before = (magic: try kit.mailedToken(), secret: secret)
        try kit.askForReset()
        let reset = try kit.mailedToken()
        try kit.moveTo("ada@new.example", by: ada)
        // Links mailed before the change.
        let input = RedeemMagicLink.Input(token: before.magic, requestSecret: before.secret)
        expectError(.emailLink(.invalid)) { try kit.auth.redeemMagicLink(input, Caller()) }
        expectEqual(error { try kit.reset(reset, to: "another one") }, .emailLink(.invalid))
        // Links requested after it.
        let count = kit.mail.mails.count
        _ = try kit.auth.requestMagicLink(try kit.email(), Caller())
        try kit.askForReset()
        let sent = kit.mail.mails.dropFirst(count)
        expectEqual(sent.map(\.kind), [.signInMethods, .signInMethods])
        #expect(sent.allSatisfy { $0.values["methods"] == nil })
    }

    @Test func `an account returns to its former address`() throws {
        let ada = try signedUp()
        let first = try kit.moveTo("ada@new.example", by: ada)
        try kit.moveTo("ada@example.com", by: ada)
        try expectEqual(kit.logIn().user.id, ada.user.id)
        try expectEqual(kit.owner(of: "ada@new.example"), ada.user.id)
        // The link of the first change restores the same address.
        try kit.undo(first)
        try expectEqual(kit.logIn().user.id, ada.user.id)
        try expectEqual(kit.owner(of: "ada@new.example"), nil)
    }

    @Test func `the number of changes of address is limited`() throws {
        let ada = try signedUp()
        for index in 0..<5 { try kit.moveTo("ada\(index)@new.example", by: ada) }
        guard
            case .rateLimited(let wait)? = error({
                try kit.ask(for: "ada@last.example", by: ada)
            })
        else {
            Issue.record("a sixth change")
            return
        }
        // The first change was four seconds ago.
        expectEqual(wait, 7 * 86_400 - 4)
        clock.advance(by: .days(7))
        let later = try kit.logIn("ada4@new.example")
        #expect(throws: Never.self) { try kit.moveTo("ada@last.example", by: later) }
        try expectEqual(kit.user(ada.user.id)?.restorePoints.count, 1)
    }
}
