@Suite("One-time passwords") struct OneTimePasswordTests {
    /// The key of RFC 4226 appendix D and of RFC 6238 appendix B.
    private let password = OneTimePassword(secret: SecretBytes(utf8: "12345678901234567890"))

    @Test(
        arguments: zip(
            Int64(0)...9,
            [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
                "399871", "520489",
            ]))
    func `the codes equal the examples of RFC 4226 appendix D`(counter: Int64, code: String) {
        expectEqual(password.code(step: counter), code)
    }

    /// The last six of its eight digits.
    @Test(arguments: [
        (Int64(59), "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"),
        (1_234_567_890, "005924"), (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
    func `the codes equal the examples of RFC 6238 appendix B`(seconds: Int64, code: String) {
        let step = OneTimePassword.step(at: Instant(seconds: seconds))
        expectEqual(password.code(step: step), code)
    }

    @Test func `a code is accepted in its own step and the adjacent ones`() {
        let now = Instant(seconds: 3000)
        for (distance, isGood) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let step = Int64(100 + distance)
            let accepted = password.acceptedStep(of: password.code(step: step), at: now, after: nil)
            expectEqual(accepted, isGood ? step : nil)
        }
    }

    @Test func `a used code and all earlier ones are refused`() {
        let now = Instant(seconds: 3000)
        for (last, isGood) in [(Int64(98), true), (99, true), (100, false), (101, false)] {
            let accepted = password.acceptedStep(of: password.code(step: 100), at: now, after: last)
            expectEqual(accepted != nil, isGood)
        }
    }

    @Test(arguments: ["", "75522", "7552240", "755 224", "７55224", "abcdef"])
    func `any other text is a wrong code`(text: String) {
        expectEqual(password.acceptedStep(of: text, at: Instant(seconds: 0), after: nil), nil)
    }

    @Test func `the link contains secret, issuer and account`() {
        expectEqual(
            password.uri(issuer: "My App: β", account: "ada@example.com"),
            "otpauth://totp/My%20App%3A%20%CE%B2:ada%40example.com"
                + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=My%20App%3A%20%CE%B2"
                + "&algorithm=SHA1&digits=6&period=30")
    }
}

@Suite("Recovery codes") struct RecoveryCodeTests {
    private let user = UserID(random: .seeded(1))

    @Test func `a code is accepted in the shown form, and as people type it`() throws {
        let code = RecoveryCode(random: .seeded(2))
        let text = code.reveal()
        #expect(text.wholeMatch(of: /([A-Z2-7]{4}-){5}[A-Z2-7]{4}/) != nil)
        for typed in [text, text.lowercased(), text.replacing("-", with: ""), " " + text + " "] {
            expectEqual(RecoveryCode(parsing: typed)?.hash(of: user), code.hash(of: user))
        }
    }

    @Test(arguments: ["", "ABCD", "1111-1111-1111-1111-1111-1111", "ABCD-ABCD-ABCD-ABCD-ABCD-ABC"])
    func `other texts are not codes`(text: String) { #expect(RecoveryCode(parsing: text) == nil) }

    @Test func `the hash of a code differs for each account`() {
        let code = RecoveryCode(random: .seeded(2))
        #expect(code.hash(of: user) != code.hash(of: UserID(random: .seeded(3))))
    }
}
