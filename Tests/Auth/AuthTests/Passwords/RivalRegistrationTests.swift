/// Several people register one address, in a contract whose link is valid without the password.
@Suite("Rival registrations") struct RivalRegistrationTests {
    let kit: AuthKit

    init() throws {
        kit = try AuthKit(policy: .passwords(.afterVerification(repeatsPassword: false)))
    }

    /// - Returns: the token of the link that is mailed.
    private func register(_ password: String, name: String? = nil) throws -> String {
        let input = Register.Input(email: try kit.email(), password: password, displayName: name)
        _ = try kit.auth.register(input, Caller())
        kit.finishReply()
        return try kit.mailedToken()
    }

    private func verify(_ token: String) throws -> SessionTokens {
        try kit.auth.completeRegistration(token: token, password: nil, Caller())
    }

    @Test func `a link of a single registration makes an account with its password`() throws {
        let token = try register("the owner's own", name: "Ada")
        expectEqual(kit.mail.mails.last?.values["chosenAt"], kit.clock.now.iso8601Seconds)
        kit.clock.advance(by: .hours(1))
        try kit.auth.resendVerification(try kit.email(), Caller())
        kit.finishReply()
        let user = try verify(token).user
        expectEqual(user.displayName, "Ada")
        try expectEqual(kit.logIn("ada@example.com", "the owner's own").user.id, user.id)
    }

    @Test(arguments: [0, 1])
    func `after two registrations the account gets no password`(opened: Int) throws {
        var tokens = [try register("the owner's own")]
        kit.clock.advance(by: .minutes(1))
        tokens.append(try register("the attacker's", name: "Mallory"))
        let chosenAt = kit.clock.now.iso8601Seconds
        kit.clock.advance(by: .minutes(1))

        let session = try verify(tokens[opened])
        #expect(session.user.isEmailVerified && session.user.displayName == nil)
        try expectEqual(kit.authenticate(session).user.id, session.user.id)
        for password in ["the owner's own", "the attacker's"] {
            expectError(.password(.wrongCredentials)) { try kit.logIn("ada@example.com", password) }
        }

        kit.finishReply()
        let mail = try #require(kit.mail.mails.last)
        #expect(mail.kind == .resetPassword && mail.to == "ada@example.com")
        expectEqual(mail.values["chosenAt"], chosenAt)
        try kit.reset(try kit.mailedToken(), to: "chosen by mail")
        try expectEqual(kit.logIn("ada@example.com", "chosen by mail").user.id, session.user.id)
        expectError(.emailLink(.invalid)) { try verify(tokens[1 - opened]) }
    }

    @Test func `a rival registration is detected even after many links of the first one`() throws {
        let token = try register("the owner's own")
        for _ in 0..<120 { try kit.auth.resendVerification(try kit.email(), Caller()) }
        _ = try register("the attacker's")
        _ = try verify(token)
        let error = kit.error { _ = try kit.logIn("ada@example.com", "the owner's own") }
        expectEqual(error, .password(.wrongCredentials))
    }

    @Test func `verifying with a link that needs the password does not change the password`() throws
    {
        let kit = try AuthKit(policy: .passwords())
        for password in ["the attacker's", "the owner's own"] {
            let input = Register.Input(email: try kit.email(), password: password)
            _ = try kit.auth.register(input, Caller())
        }
        kit.finishReply()
        #expect(kit.mail.mails.allSatisfy { $0.values["chosenAt"] == nil })
        _ = try kit.auth.completeRegistration(
            token: try kit.mailedToken(), password: "the owner's own", Caller())
        #expect(throws: Never.self) { try kit.logIn("ada@example.com", "the owner's own") }
    }
}
