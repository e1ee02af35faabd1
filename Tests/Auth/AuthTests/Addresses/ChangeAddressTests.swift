@Suite("Changing the address of an account") struct ChangeAddressTests {
    let store: FaultyStore
    let kit: AuthKit

    init() throws { (kit, store) = try AuthKit.withFaultyStore(.emailChanges()) }

    /// The session of a new account with a password.
    private func signedUp(_ email: String = "ada@example.com") throws -> SessionTokens {
        try kit.account(email)
        return try kit.logIn(email)
    }

    // MARK: Whole

    @Test func `a code changes the address, and uses up the link`() throws {
        let tokens = try signedUp()
        let secret = try #require(try kit.ask(for: "ada@new.example", by: tokens))
        kit.finishReply()
        let (code, token) = (try kit.mailedCode(), try kit.mailedToken())
        let answer = MailAnswer.code(code, requestSecret: secret)
        let other = try signedUp("eve@example.com")
        expectError(.emailLink(.invalidCode)) {
            try kit.auth.verifyAddress(answer, kit.caller(other))
        }
        let wrong = MailAnswer.code("00000000", requestSecret: secret)
        expectError(.emailLink(.invalidCode)) {
            try kit.auth.verifyAddress(wrong, kit.caller(tokens))
        }
        try expectEqual(kit.auth.verifyAddress(answer, kit.caller(tokens)).email, "ada@new.example")
        expectError(.emailLink(.invalid)) { try kit.confirm(token, by: tokens) }
        expectError(.emailLink(.invalidCode)) {
            try kit.auth.verifyAddress(answer, kit.caller(tokens))
        }
    }

    @Test func `a link works once, for a day, in its own account`() throws {
        let tokens = try signedUp()
        let other = try signedUp("eve@example.com")
        let token = try kit.newAddress("ada@new.example", by: tokens)
        expectError(.emailLink(.invalid)) { try kit.confirm(token, by: other) }
        expectError(.accessToken(.missing)) { try kit.auth.verifyAddress(token: token, Caller()) }
        kit.clock.advance(by: .hours(24))
        let later = try kit.logIn()
        expectError(.emailLink(.invalid)) { try kit.confirm(token, by: later) }
        let next = try kit.newAddress("ada@new.example", by: later)
        try kit.confirm(next, by: later)
        expectError(.emailLink(.invalid)) { try kit.confirm(next, by: later) }
    }

    @Test func `a link expires with the account's sessions and with another change`() throws {
        let tokens = try signedUp()
        let first = try kit.newAddress("one@new.example", by: tokens)
        let second = try kit.newAddress("two@new.example", by: tokens)
        try kit.confirm(second, by: tokens)
        expectError(.emailLink(.invalid)) { try kit.confirm(first, by: tokens) }
        let third = try kit.newAddress("three@new.example", by: tokens)
        try kit.change(tokens.user.id) { $0.epoch += 1 }
        let later = try kit.logIn("two@new.example")
        expectError(.emailLink(.invalid)) { try kit.confirm(third, by: later) }
        try expectEqual(kit.user(tokens.user.id)?.email, "two@new.example")
    }

    // MARK: Who may

    @Test func `a change needs the second factor of the account`() throws {
        let account = try ProtectedAccount(
            ProtectedAccount.policy().with { $0.emailChanges = EmailChangePolicy() })
        #expect(throws: Never.self) {
            try account.kit.ask(for: "ada@new.example", by: account.tokens)
        }
        // A session whose user proved only one factor, before the account had two.
        let id = account.tokens.user.id
        try account.kit.change(id) { $0.hasSecondFactor = false }
        let weak = try account.kit.logIn()
        try account.kit.change(id) { $0.hasSecondFactor = true }
        expectError(.recentSignInRequired(.twoFactors)) {
            try account.kit.ask(for: "ada@new.example", by: weak)
        }
    }

    @Test func `nothing changes for a disabled user`() throws {
        let tokens = try signedUp()
        let token = try kit.newAddress("ada@new.example", by: tokens)
        try kit.disable(tokens.user)
        expectError(.account(.disabled)) { try kit.ask(for: "b@new.example", by: tokens) }
        expectError(.account(.disabled)) { try kit.confirm(token, by: tokens) }
        try expectEqual(kit.user(tokens.user.id)?.email, "ada@example.com")
    }

    // MARK: Addresses of others

    @Test func `only the owner of an address learns that it is taken`() throws {
        let (kit, counting) = try AuthKit.withCountingStore(.emailChanges())
        try kit.account("eve@example.com")
        try kit.account()
        let tokens = try kit.logIn()
        counting.forget()
        let taken = try kit.ask(for: "eve@example.com", by: tokens)
        let cost = counting.cost
        kit.finishReply()
        expectEqual(kit.mails(to: "eve@example.com").last, .alreadyRegistered)
        expectEqual(kit.mail.mails.last?.values["link"], nil)
        counting.forget()
        let free = try kit.ask(for: "abc@example.com", by: tokens)
        var other = counting.cost
        (other.itemsRead, other.readUnits) = (cost.itemsRead, cost.readUnits)
        expectEqual(other, cost)
        expectEqual(taken?.utf8.count, free?.utf8.count)
        let answer = MailAnswer.code("00000000", requestSecret: try #require(taken))
        expectError(.emailLink(.invalidCode)) {
            try kit.auth.verifyAddress(answer, kit.caller(tokens))
        }
        try expectEqual(kit.logIn("eve@example.com").user.email, "eve@example.com")
    }

    // MARK: Other accounts

    @Test func `a chosen address is not replaced by the provider's`() throws {
        let tokens = try kit.session(of: "001")
        let token = try kit.moveTo("ada@new.example", by: tokens)
        try expectEqual(kit.session(of: "001").user.email, "ada@new.example")
        try expectEqual(kit.signIn("apple", "001", "x@other.example").user.email, "ada@new.example")
        try expectEqual(kit.methods(try kit.session(of: "001")), ["apple"])
        expectError(.password(.wrongCredentials)) { try kit.logIn("ada@new.example") }
        // Once the former address is restored, the rule for providers holds again.
        try kit.undo(token)
        try expectEqual(kit.signIn("apple", "001", "x@other.example").user.email, "x@other.example")
    }

    @Test func `an unproven address is notified, and gets no link`() throws {
        let ada = try signedUp()
        try kit.change(ada.user.id) { $0.isEmailVerified = false }
        try kit.confirm(try kit.newAddress("ada@new.example", by: ada), by: ada)
        kit.finishReply()
        expectEqual(kit.mails(to: "ada@example.com").last, .emailChanged)
        expectEqual(kit.undoToken, nil)
        try expectEqual(kit.owner(of: "ada@example.com"), nil)
    }

    @Test func `a password for another address is a change of the address, too`() throws {
        let tokens = try kit.session(of: "001")
        _ = try kit.auth.addPassword(
            AuthKit.password, email: try kit.email("ada@new.example"), kit.caller(tokens))
        kit.finishReply()
        let token = try kit.mailedToken()
        _ = try kit.auth.completeAddPassword(token: token, kit.caller(tokens))
        kit.finishReply()
        let undo = try #require(kit.undoToken)
        #expect(kit.mails(to: "001@example.com").contains(.emailChanged))
        try kit.undo(undo)
        expectError(.password(.wrongCredentials)) { try kit.logIn("ada@new.example") }
        let user = try #require(try kit.user(tokens.user.id))
        #expect(user.identities.map(\.provider) == ["apple"] && user.email == "001@example.com")
        try expectEqual(kit.store.get(StoreLayout.password(of: user.id)), nil)
    }

    @Test func `the response has the account's new name for passkeys`() throws {
        let tokens = try signedUp()
        try kit.moveTo("ada@new.example", by: tokens)
        let list = try kit.auth.listPasskeys(kit.caller(tokens))
        expectEqual(list.user.email, "ada@new.example")
    }

    @Test func `an export has the former addresses that can be restored`() throws {
        let ada = try signedUp()
        try kit.moveTo("ada@new.example", by: ada)
        try expectEqual(
            kit.auth.exportAccount(after: nil, kit.caller(ada)).formerEmails, ["ada@example.com"])
        kit.clock.advance(by: .days(7))
        let later = try kit.logIn("ada@new.example")
        #expect(try kit.auth.exportAccount(after: nil, kit.caller(later)).formerEmails.isEmpty)
    }
}
