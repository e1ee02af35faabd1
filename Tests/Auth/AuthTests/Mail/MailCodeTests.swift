import Foundation

/// The codes of mails that have a link.
@Suite("Mailed codes") struct MailCodeTests {
    static let policy = Policy.passwords().with {
        $0.mailCodes = MailCodePolicy()
        $0.mailBudget = MailBudget()
    }
    static let wrong = "00000000"

    private func kit(_ policy: Policy = policy) throws -> AuthKit {
        try AuthKit(policy: policy)
    }

    /// The request secret of an app, and the mailed code.
    private func mailed(_ kit: AuthKit, _ secret: String?) throws -> MailAnswer {
        kit.finishReply()
        return .code(try kit.mailedCode(), requestSecret: try #require(secret))
    }

    private func registration(_ kit: AuthKit, _ text: String = "ada@example.com") throws -> String {
        let input = Register.Input(email: try kit.email(text), password: AuthKit.password)
        return try #require(try kit.auth.register(input, Caller()).requestSecret)
    }

    private func magicLink(_ kit: AuthKit, _ text: String = "ada@example.com") throws -> String {
        try kit.auth.requestMagicLink(try kit.email(text), Caller())
    }

    private func redeem(_ kit: AuthKit, _ code: String, _ secret: String) throws -> SessionTokens {
        let input = RedeemMagicLink.Input(code: code, requestSecret: secret)
        return try kit.auth.redeemMagicLink(input, Caller()).result.tokens
    }

    private func reset(_ kit: AuthKit, _ answer: MailAnswer) throws {
        try kit.auth.resetPassword(answer, newPassword: "another password", Caller())
    }

    private func isRefused(_ kit: AuthKit, _ operation: () throws -> Void) -> Bool {
        kit.error(of: operation) == .emailLink(.invalidCode)
    }

    // MARK: Each mail

    @Test func `a code completes a registration, and uses up the link`() throws {
        let kit = try kit()
        let answer = try mailed(kit, try registration(kit))
        let token = try kit.mailedToken()
        func verify(_ answer: MailAnswer) throws -> SessionTokens {
            try kit.auth.completeRegistration(answer, password: AuthKit.password, Caller())
        }
        #expect(try verify(answer).user.isEmailVerified)
        expectError(.emailLink(.invalid)) { try verify(.token(token)) }
        expectError(.emailLink(.invalidCode)) { try verify(answer) }
    }

    @Test func `using the link uses up the code`() throws {
        let kit = try kit()
        try kit.account()
        let answer = try mailed(kit, try kit.auth.forgotPassword(try kit.email(), Caller()))
        try reset(kit, .token(try kit.mailedToken()))
        #expect(isRefused(kit) { try reset(kit, answer) })
    }

    @Test(arguments: ["12345678", "1234 5678", "1234-5678", " 12345678 "])
    func `a code signs in, however it is typed`(form: String) throws {
        let kit = try kit()
        let user = try kit.account()
        let secret = try magicLink(kit)
        kit.finishReply()
        var digits = Substring(try kit.mailedCode())
        expectEqual(digits.utf8.count, 8)
        let typed = form.map { $0.isNumber ? digits.removeFirst() : $0 }
        try expectEqual(redeem(kit, String(typed), secret).user.id, user.id)
    }

    @Test func `a code proves the address of a signed-in user`() throws {
        let kit = try kit(.passwords(.immediate).with { $0.mailCodes = MailCodePolicy() })
        try kit.account()
        let tokens = try kit.logIn()
        let answer = try mailed(
            kit, try kit.auth.requestAddressVerification(kit.caller(tokens)).requestSecret)
        try kit.account("eve@example.com")
        let other = try kit.logIn("eve@example.com")
        #expect(isRefused(kit) { _ = try kit.auth.verifyAddress(answer, kit.caller(other)) })
        #expect(try kit.auth.verifyAddress(answer, kit.caller(tokens)).isEmailVerified)
        #expect(isRefused(kit) { _ = try kit.auth.verifyAddress(answer, kit.caller(tokens)) })
    }

    // MARK: Guesses

    @Test func `five wrong codes use up the code, and the link remains valid`() throws {
        let kit = try kit()
        try kit.account()
        let answer = try mailed(kit, try kit.auth.forgotPassword(try kit.email(), Caller()))
        guard case .code(let code, let secret) = answer else { throw NoCode() }
        #expect(code != Self.wrong)
        for _ in 0..<5 {
            #expect(isRefused(kit) { try reset(kit, .code(Self.wrong, requestSecret: secret)) })
        }
        #expect(isRefused(kit) { try reset(kit, answer) })
        #expect(throws: Never.self) { try reset(kit, .token(try kit.mailedToken())) }
    }

    @Test func `the fifth attempt can succeed`() throws {
        let kit = try kit()
        try kit.account()
        let secret = try magicLink(kit)
        kit.finishReply()
        for _ in 0..<4 { #expect(isRefused(kit) { _ = try redeem(kit, Self.wrong, secret) }) }
        #expect(throws: Never.self) { try redeem(kit, try kit.mailedCode(), secret) }
    }

    @Test func `of concurrent guesses only five are allowed`() throws {
        let kit = try kit(Self.policy.with { $0.mailCodes = MailCodePolicy(attemptsMax: 5) })
        try kit.account()
        let secret = try kit.auth.forgotPassword(try kit.email(), Caller())
        let answer = try mailed(kit, secret)
        // The password is refused after the code was compared: that tells what the code was worth.
        let compared = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 40) { _ in
            let error = kit.error {
                try kit.auth.resetPassword(answer, newPassword: "short", Caller())
            }
            if error != .emailLink(.invalidCode) { compared.withLock { $0 += 1 } }
        }
        expectEqual(compared.withLock { $0 }, 5)
        #expect(isRefused(kit) { try reset(kit, answer) })
    }

    @Test func `without the secret nobody can use up the code`() throws {
        let kit = try kit()
        try kit.account()
        let secret = try kit.auth.forgotPassword(try kit.email(), Caller())
        let answer = try mailed(kit, secret)
        guard case .code(let code, let text) = answer else { throw NoCode() }
        // The attacker's own requests, and secrets that differ in the last byte.
        var bytes = try #require(Base64URL.decode(text))
        let other = try #require(try kit.auth.forgotPassword(try kit.email(), Caller()))
        for index in 0..<20 {
            bytes[bytes.count - 1] ^= UInt8(index + 1)
            let forged = Base64URL.encode(bytes)
            #expect(isRefused(kit) { try reset(kit, .code(code, requestSecret: forged)) })
            bytes[bytes.count - 1] ^= UInt8(index + 1)
            #expect(isRefused(kit) { try reset(kit, .code(code, requestSecret: other)) })
        }
        for malformed in ["", "!", "AAAA", Base64URL.encode([UInt8](repeating: 1, count: 200))] {
            #expect(isRefused(kit) { try reset(kit, .code(code, requestSecret: malformed)) })
        }
        #expect(throws: Never.self) { try reset(kit, answer) }
    }

    @Test func `a code expires with its mail`() throws {
        let kit = try kit()
        try kit.account()
        let secret = try magicLink(kit)
        kit.finishReply()
        kit.clock.advance(by: .minutes(15))
        #expect(isRefused(kit) { _ = try redeem(kit, try kit.mailedCode(), secret) })
    }

    @Test func `codes are refused for a disabled user`() throws {
        let kit = try kit()
        let user = try kit.account()
        let link = try magicLink(kit)
        kit.finishReply()
        let code = try kit.mailedCode()
        let answer = try mailed(kit, try kit.auth.forgotPassword(try kit.email(), Caller()))
        try kit.change(user.id) { $0.isDisabled = true }
        expectError(.account(.disabled)) { try redeem(kit, code, link) }
        expectError(.account(.disabled)) { try reset(kit, answer) }
    }
}

struct NoCode: Error {}

extension AuthKit {
    /// The code in the latest mail.
    func mailedCode() throws -> String {
        guard let code = mail.mails.last?.values["code"] else { throw NoCode() }
        return code
    }
}
