/// The session of an account that has an address alone.
@Suite("Step-up by mail") struct StepUpByMailTests {
    private let policy = Policy.passkeys { $0.accessTokens.claims = .standard + .proof }

    /// A mail with a sign-in link.
    private func mailed(
        _ kit: AuthKit, to text: String = "ada@example.com"
    ) throws -> (secret: String, token: String, code: String?) {
        let secret = try kit.auth.requestMagicLink(try kit.email(text), Caller())
        kit.finishReply()
        return (secret, try kit.mailedToken(), kit.mail.mails.last?.values["code"])
    }

    private func linkAccount(_ kit: AuthKit) throws -> SessionTokens {
        let mail = try mailed(kit)
        let input = RedeemMagicLink.Input(token: mail.token, requestSecret: mail.secret)
        return try kit.auth.redeemMagicLink(input, Caller()).result.tokens
    }

    @Test func `a link of another account, another request or an old address proves nothing`()
        throws
    {
        let kit = try AuthKit(policy: policy)
        let tokens = try linkAccount(kit)
        _ = try kit.provenAccount("grace@example.com")
        kit.clock.advance(by: .minutes(11))
        let foreign = try mailed(kit, to: "grace@example.com")
        let (first, second) = (try mailed(kit), try mailed(kit))
        for (token, secret) in [
            (foreign.token, foreign.secret), (first.token, second.secret), ("", first.secret),
        ] {
            let answer = StepUp.Answer.mail(.token(token), requestSecret: secret)
            expectError(.emailLink(.invalid)) { try kit.stepUp(answer, by: tokens) }
        }
        expectError(.recentSignInRequired()) { try kit.enrol(tokens) }
        let attempts = try kit.audit(in: .attempts(on: tokens.user.id))
        expectEqual(attempts.count { $0 == "stepUpFailed" }, 3)
        // The links of others and of other requests are not used up.
        let input = RedeemMagicLink.Input(token: foreign.token, requestSecret: foreign.secret)
        _ = try kit.auth.redeemMagicLink(input, Caller())
        _ = try kit.stepUp(.mail(.token(first.token), requestSecret: first.secret), by: tokens)
    }

    @Test func `codes of a mail can be guessed five times`() throws {
        let kit = try AuthKit(policy: policy.with { $0.mailCodes = MailCodePolicy() })
        let tokens = try linkAccount(kit)
        let mail = try mailed(kit)
        let wrong = mail.code == "00000000" ? "00000001" : "00000000"
        for code in Array(repeating: wrong, count: 5) + [try #require(mail.code)] {
            let answer = StepUp.Answer.mail(
                .code(code, requestSecret: mail.secret), requestSecret: mail.secret)
            expectError(.emailLink(.invalidCode)) { try kit.stepUp(answer, by: tokens) }
        }
    }

    @Test func `a mailed link does not replace a second factor`() throws {
        let account = try ProtectedAccount()
        let mail = try mailed(account.kit)
        expectError(.secondFactor(.required)) {
            _ = try account.kit.stepUp(
                .mail(.token(mail.token), requestSecret: mail.secret), by: account.tokens)
        }
    }
}
