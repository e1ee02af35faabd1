/// Wrong codes in a row, over any time (NIST SP 800-63B-4 section 3.2.2).
@Suite("Wrong codes in a row") struct WrongCodeTests {
    /// Presents wrong codes as fast as the limit per window allows.
    private func fail(_ account: ProtectedAccount, times: Int) throws {
        for index in 0..<times {
            if index % 5 == 0 { account.kit.clock.advance(by: .minutes(5)) }
            let ticket = try account.ticket()
            expectEqual(
                account.error(ticket, .code(account.wrongCode)), .secondFactor(.wrongCode),
                "\(index)")
            account.kit.finishReply()
        }
    }

    private func mails(_ account: ProtectedAccount) -> [Mail] {
        account.kit.mail.mails.filter { $0.kind == .wrongCodes }
    }

    @Test func `the owner gets one notice after twenty wrong codes`() throws {
        let account = try ProtectedAccount()
        try fail(account, times: 19)
        #expect(mails(account).isEmpty)
        try fail(account, times: 2)
        let mail = try #require(mails(account).first)
        #expect(mails(account).count == 1 && mail.to == "ada@example.com")
        #expect(mail.values["count"] == "20" && mail.values["limit"] == "100")
    }

    @Test func `after a hundred wrong codes only a recovery code is accepted`() throws {
        let account = try ProtectedAccount()
        try fail(account, times: 100)
        expectEqual(mails(account).map { $0.values["count"] }, ["20", "100"])
        account.kit.clock.advance(by: .days(30))
        let ticket = try account.ticket()
        for code in [account.wrongCode, account.code] {
            expectEqual(account.error(ticket, .code(code)), .secondFactor(.recoveryCodeRequired))
        }
        let wrong = SecondFactorAnswer.recoveryCode("ABCD")
        expectEqual(account.error(ticket, wrong), .secondFactor(.wrongCode))
        let answer = SecondFactorAnswer.recoveryCode(account.recoveryCodes[0])
        try expectEqual(account.complete(ticket, answer).user.id, account.user.id)
        // The recovery code proves the owner, so codes of the app are accepted again.
        try expectEqual(account.complete(try account.ticket()).user.id, account.user.id)
    }

    @Test func `a right code resets the count`() throws {
        let account = try ProtectedAccount()
        try fail(account, times: 15)
        account.kit.clock.advance(by: .minutes(5))
        _ = try account.complete(try account.ticket())
        try expectEqual(account.factor?.consecutiveFailures, 0)
        try fail(account, times: 15)
        #expect(mails(account).isEmpty)
        try expectEqual(account.factor?.consecutiveFailures, 15)
    }

    @Test func `wrong codes count in every operation`() throws {
        let account = try ProtectedAccount()
        try fail(account, times: 3)
        expectError(.secondFactor(.wrongCode)) {
            _ = try account.kit.auth.replaceRecoveryCodes(code: account.wrongCode, account.caller)
        }
        try expectEqual(account.factor?.consecutiveFailures, 4)
    }

    @Test func `a second factor without a count of wrong codes begins at zero`() throws {
        let account = try ProtectedAccount()
        var row = try #require(
            try account.kit.store.get(StoreLayout.secondFactor(of: account.user.id)))
        row.attributes["consecutiveFailures"] = nil
        try account.kit.store.write([.put(row, when: [])])
        try fail(account, times: 1)
        try expectEqual(account.factor?.consecutiveFailures, 1)
    }
}
