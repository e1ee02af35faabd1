/// Messages that the application sends instead of the mail system.
@Suite("Messages sent by a hook") struct SendHookTests {
    private let hooks = FakeHooks()
    private let kit: AuthKit

    init() throws {
        let clock = TestClock()
        hooks.answer(.send, #"{"sent":true}"#)
        kit = try AuthKit(
            policy: .passwords().with { $0.mailCodes = MailCodePolicy() }, clock: clock,
            sender: hooks.services([.send]).sender(clock.wall))
    }

    private func messages() -> [JSON] { hooks.told(.send) }

    private func housekeep() throws -> [String: Int] {
        let reports = try kit.auth.housekeeping([.sendDueMail], until: nil)
        return Dictionary(uniqueKeysWithValues: reports[0].counts.map { ($0.name, $0.count) })
    }

    @Test func `a message has its kind, recipient, account, values and expiry`() throws {
        let user = try kit.importedAccount()
        hooks.forget()
        _ = try kit.auth.forgotPassword(try kit.email("ada@example.com"), Caller(language: "de"))
        #expect(messages().isEmpty)
        kit.finishReply()
        let event = try #require(messages().first)
        expectEqual(messages().count, 1)
        #expect(event["kind"] == "resetPassword" && event["to"] == "ada@example.com")
        #expect(event["user"] == ["id": .string(user.text)] && event["language"] == "de")
        let link = try #require(event["values"]?["link"]?.stringValue)
        #expect(link.contains("token="))
        expectEqual(event["values"]?["code"]?.stringValue?.isEmpty, false)
        let end = try #require(event["expiresAt"]?.int64Value)
        #expect(end > kit.clock.now.seconds)
        // Sent, so it is not due any more.
        kit.clock.advance(by: .minutes(2))
        try expectEqual(housekeep()["sent"], 0)
        #expect(kit.mail.mails.isEmpty)
    }

    @Test func `an address without an account gets no message`() throws {
        _ = try kit.askForReset("nobody@example.com")
        #expect(messages().isEmpty)
    }

    @Test func `a registration has no account yet`() throws {
        _ = try kit.register("new@example.com")
        kit.finishReply()
        expectEqual(messages().map { $0["kind"] }, ["verifyEmail"])
        #expect(messages().allSatisfy { $0["user"] == nil })
    }

    @Test(arguments: [
        "", "null", "{}", #"{"sent":1}"#, #"{"sent":true,"more":1}"#, #"{"done":true}"#,
    ])
    func `a call without a valid answer is retried, with the same id, until the link expires`(
        _ answer: String
    ) throws {
        _ = try kit.importedAccount()
        hooks.answer(.send, answer)
        _ = try kit.askForReset("ada@example.com")
        for _ in 0..<3 {
            kit.clock.advance(by: .minutes(6))
            _ = try housekeep()
        }
        #expect(messages().count > 1)
        expectEqual(Set(messages().compactMap { $0["id"]?.stringValue }).count, 1)
        #expect(hooks.failures.allSatisfy { $0.1 == .malformed && !$0.continues })
        hooks.answer(.send, #"{"sent":true}"#)
        hooks.forget()
        kit.clock.advance(by: .minutes(10))
        try expectEqual(housekeep()["sent"], 1)
        expectEqual(messages().count, 1)
    }

    @Test func `an unreachable recipient is not retried`() throws {
        _ = try kit.importedAccount()
        hooks.answer(.send, #"{"sent":false}"#)
        _ = try kit.askForReset("ada@example.com")
        hooks.forget()
        kit.clock.advance(by: .minutes(6))
        try expectEqual(housekeep()["sent"], 0)
        #expect(messages().isEmpty)
        #expect(try kit.audit(in: .email(try kit.email("ada@example.com"))).contains("mailDropped"))
    }

    @Test func `a failing hook does not delay the reply`() throws {
        _ = try kit.importedAccount()
        hooks.answer(.send, .failure(.timedOut))
        for _ in 0..<5 {
            _ = try kit.auth.forgotPassword(try kit.email("ada@example.com"), Caller())
        }
        kit.finishReply()
        hooks.forget()
        kit.clock.advance(by: .minutes(2))
        // A run ends after three failures in a row, and the others keep their attempts.
        try expectEqual(housekeep()["failed"], 3)
        expectEqual(messages().count, 3)
    }
}

extension AuthKit {
    /// The account of `ada@example.com`, without a mail.
    fileprivate func importedAccount() throws -> UserID {
        let entry = ImportUsers.Entry(
            email: "ada@example.com", passwordHash: try Self.importableHash,
            isEmailVerified: true)
        guard case .imported(let id) = try auth.importUsers([entry]).outcomes[0] else {
            throw KitFailure.noSession
        }
        return id
    }

    private static var importableHash: String {
        get throws {
            "$argon2id$v=19$m=19456,t=2,p=1$bGF0Y2hrZXkgZXhhbXBsZQ$"
                + "x0LEaROBaUejeHAWpubQXxwnyLwd0pu3OoSDUO5bh1s"
        }
    }
}
