/// The removal of a second factor that its user has lost, by an administrator.
@Suite("A lost second factor") struct LostSecondFactorTests {
    private let account: ProtectedAccount

    init() throws {
        account = try ProtectedAccount(
            ProtectedAccount.policy().with { $0.secondFactors?.removalDelay = .hours(24) })
    }

    private var kit: AuthKit { account.kit }

    private func begin() throws -> Instant? {
        try kit.auth.lostSecondFactor.begin(
            of: account.user.id.text, because: "Lost phone", by: .password, Caller())
    }

    private func remove() throws -> User {
        try kit.auth.administerUser(
            account.user.id.text, .removeSecondFactor, by: .password, Caller())
    }

    private var events: [String] { get throws { try kit.audit(of: account.user.id) } }

    @Test func `the second factor is removed after the wait, and not before`() throws {
        let from = try begin()
        expectEqual(from, kit.clock.now + .hours(24))
        kit.finishReply()
        let mail = try #require(kit.mail.mails.last)
        #expect(mail.kind == .secondFactorRemoval && mail.to == "ada@example.com")
        expectEqual(mail.values["until"], from?.iso8601Seconds)
        // Asked again, it says the same.
        kit.clock.advance(by: .hours(23))
        try expectEqual(begin(), from)
        expectError(.unavailable(.contention)) { try remove() }
        #expect(try account.factor != nil)
        kit.clock.advance(by: .hours(1))
        try expectEqual(begin(), nil)
        try expectEqual(remove().hasSecondFactor, false)
        try expectEqual(account.factor, nil)
        try expectEqual(events.filter { $0 == "secondFactorRemovalBegun" }.count, 1)
        #expect(try events.contains("secondFactorRemoved"))
    }

    @Test func `no operation removes the second factor without the wait`() throws {
        expectError(.unavailable(.contention)) { try remove() }
        #expect(try account.factor != nil)
    }

    @Test(arguments: [true, false])
    func `an accepted code of the user stops the removal`(_ isCode: Bool) throws {
        _ = try begin()
        kit.clock.advance(by: .hours(2))
        let answer = isCode ? nil : SecondFactorAnswer.recoveryCode(account.recoveryCodes[0])
        _ = try account.complete(try account.ticket(), answer)
        try expectEqual(account.factor?.removableFrom, nil)
        try expectEqual(events.filter { $0 == "secondFactorRemovalStopped" }.count, 1)
        kit.clock.advance(by: .hours(24))
        expectError(.unavailable(.contention)) { try remove() }
        // The next request begins the wait anew.
        try expectEqual(begin(), kit.clock.now + .hours(24))
    }

    @Test func `a wrong code does not stop the removal`() throws {
        let from = try begin()
        expectEqual(
            account.error(try account.ticket(), .code(account.wrongCode)), .secondFactor(.wrongCode)
        )
        try expectEqual(account.factor?.removableFrom, from)
    }

    @Test func `an administrator can stop the removal`() throws {
        _ = try begin()
        for _ in 0..<2 {
            try kit.auth.lostSecondFactor.stop(
                of: account.user.id.text, because: "Found", by: .password, Caller())
        }
        try expectEqual(account.factor?.removableFrom, nil)
        try expectEqual(events.filter { $0 == "secondFactorRemovalStopped" }.count, 1)
        try expectEqual(account.complete(try account.ticket()).user.id, account.user.id)
    }

    @Test func `users cannot begin a removal, and administrators not their own`() throws {
        let other = try kit.provenAccount("eve@example.com")
        expectError(.accessToken(.administratorsOnly)) {
            _ = try kit.auth.lostSecondFactor.begin(
                of: account.user.id.text, because: nil, by: .user(other), Caller())
        }
        expectError(.administration(.ownAccount)) {
            _ = try kit.auth.lostSecondFactor.begin(
                of: account.user.id.text, because: nil, by: .user(account.user), Caller())
        }
        try expectEqual(account.factor?.removableFrom, nil)
    }

    @Test func `without a delay the second factor is removed at once`() throws {
        let account = try ProtectedAccount()
        let id = account.user.id.text
        let auth = account.kit.auth
        let from = try auth.lostSecondFactor.begin(of: id, because: nil, by: .password, Caller())
        expectEqual(from, nil)
        let user = try auth.administerUser(id, .removeSecondFactor, by: .password, Caller())
        #expect(!user.hasSecondFactor)
    }
}
