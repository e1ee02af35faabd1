@Suite("Claims")
struct ClaimTests {
    private func verdict(
        _ changes: [String: JSON?], _ adjust: (inout TokenExpectations) -> Void = { _ in }
    ) throws -> TokenFailure? {
        var expectations = Forge.expectations
        adjust(&expectations)
        return try Forge.verdict(Forge.token(Forge.claims(changes)), Forge.p256, expectations)
    }

    @Test func `an accepted token returns its claims`() throws {
        let claims = Forge.claims(["aud": ["app", "other"], "nbf": 1_699_999_999, "x": true])
        let token = try Forge.token(claims)
        let verified = try JWT.verify(
            token, keys: Forge.keys(Forge.p256), expecting: Forge.expectations)
        expectEqual(verified.claims, claims)
        expectEqual(verified.issuer, Forge.issuer)
        expectEqual(verified.subject, "user")
        expectEqual(verified.audiences, ["app", "other"])
        expectEqual(verified.issuedAt, Forge.now)
        expectEqual(verified.expiresAt, Forge.now + .seconds(600))
        expectEqual(verified.notBefore, Forge.now - .seconds(1))
        expectEqual(verified.header["kid"]?.stringValue, Forge.p256.kid)
        expectEqual(verified.fingerprint.count, 32)
    }

    // CVE-2025-30144: an array of issuers.
    @Test(
        arguments: [
            ["https://issuer.example"], ["https://issuer.example", "https://evil.example"], [],
            .null, 1, true, ["https://issuer.example": true],
        ] as [JSON])
    func `an issuer that is not a string is refused`(value: JSON) throws {
        try expectEqual(verdict(["iss": value]), .malformedClaims)
    }

    @Test(arguments: [
        "", "https://issuer.example/", "https://issuer.exampl", "HTTPS://issuer.example",
        " https://issuer.example", "https://issuer.example\u{0}", "https://evil.example",
        "https://issuer.exa\u{301}mple",
    ])
    func `another issuer is refused`(issuer: String) throws {
        try expectEqual(verdict(["iss": .string(issuer)]), .wrongIssuer)
    }

    @Test func `each listed issuer is accepted, and a token without one only if that is listed`()
        throws
    {
        try expectEqual(verdict([:]) { $0.issuers = ["https://a.example", Forge.issuer] }, nil)
        try expectEqual(verdict([:]) { $0.issuers = [] }, .wrongIssuer)
        try expectEqual(verdict([:]) { $0.issuers = [nil] }, .wrongIssuer)
        try expectEqual(verdict(["iss": nil]), .missingClaim("iss"))
        try expectEqual(verdict(["iss": nil]) { $0.issuers = [nil] }, nil)
    }

    // CVE-2020-26160: an audience of an unexpected type.
    @Test(
        arguments: [
            .null, 1, true, ["app": 1], ["app", 1], ["app", .null], [["app"]], [.bool(true)],
            .array([JSON](repeating: "app", count: 65)),
        ] as [JSON])
    func `an audience of another type is refused`(value: JSON) throws {
        try expectEqual(verdict(["aud": value]), .malformedClaims)
    }

    @Test(
        arguments: ["", "ap", "app2", "APP", " app", [], ["other"], ["app "], ["a", "pp"]] as [JSON]
    )
    func `a token whose audience differs is refused`(value: JSON) throws {
        try expectEqual(verdict(["aud": value]), .wrongAudience)
    }

    @Test(arguments: ["app", ["app"], ["other", "app"], "services", ["x", "services"]] as [JSON])
    func `a token for one of the expected audiences is accepted`(value: JSON) throws {
        try expectEqual(verdict(["aud": value]) { $0.audiences = ["app", "services"] }, nil)
    }

    @Test func `a token without audience is only accepted if expected`() throws {
        try expectEqual(verdict(["aud": nil]), .missingClaim("aud"))
        try expectEqual(verdict(["aud": nil]) { $0.audiences = [nil] }, nil)
        try expectEqual(verdict([:]) { $0.audiences = [nil] }, .wrongAudience)
        try expectEqual(verdict([:]) { $0.audiences = [] }, .wrongAudience)
    }

    // The leeway is 10 s; the token's time is 1,700,000,000.
    @Test(
        arguments: [
            ("exp", 1_699_999_991, nil), ("exp", 1_699_999_990, .expired), ("exp", 0, .expired),
            ("nbf", 1_700_000_010, nil), ("nbf", 1_700_000_011, .notYetValid), ("nbf", 0, nil),
            ("iat", 1_700_000_010, nil), ("iat", 1_700_000_011, .issuedInFuture), ("iat", 0, nil),
            ("nbf", 253_402_300_799, .notYetValid), ("exp", 253_402_300_799, nil),
        ] as [(String, Int64, TokenFailure?)])
    func `times are exact to the second`(
        name: String, value: Int64, expected: TokenFailure?
    ) throws {
        try expectEqual(verdict([name: .number(value)]), expected)
    }

    @Test(arguments: [
        ("1700000600", true), ("1700000600.0", true), ("1700000600.000000000000", true),
        ("1700000600.5", true), ("1700000600.9999999999999999999999", true),
        ("1.7000006e9", true), ("17000006e2", true), ("17000006E+2", true),
        ("1700000600.0e0", true), ("17000006000000e-4", true), ("0.00017000006e13", true),
        ("1e99", false), ("1e999999999", false), ("1e99999999999999999999", false),
        ("9223372036854775807", false), ("9223372036854775808", false),
        ("99999999999999999999999999999999", false), ("253402300800", false),
        ("253402300800.5", false), ("2.534023008e11", false),
        ("-1", false), ("-0.5", false), ("-1e-99", false), ("-1e99", false),
        ("-9223372036854775808", false), ("-9223372036854775809", false), ("null", false),
        ("true", false), ("\"1700000600\"", false), ("[1700000600]", false), ("{}", false),
        ("NaN", false), ("Infinity", false), ("-Infinity", false), ("\"NaN\"", false),
        ("1700000600.", false), (".5", false), ("1e", false), ("+1700000600", false),
        ("0x65536c58", false),
    ])
    func `a time must be a number of seconds before the year 10000`(
        literal: String, isAccepted: Bool
    ) throws {
        for name in ["exp", "iat", "nbf"] {
            var members: [String: String] = [
                "iss": "\"\(Forge.issuer)\"", "aud": "\"app\"", "exp": "1700000600",
            ]
            members[name] = literal
            let text = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            let token = try Forge.token(
                header: Forge.header(Forge.p256), payload: "{\(text)}", with: Forge.p256)
            var expectations = Forge.expectations
            expectations.leeway = .seconds(600)
            let verdict = try Forge.verdict(token, Forge.p256, expectations)
            expectEqual(verdict, isAccepted ? nil : .malformedClaims, "\(name)")
        }
    }

    @Test(
        arguments: [
            ("1e3", 1000), ("1.5", 1), ("0.999", 0), ("0", 0), ("-0", 0), ("-0.0e5", 0),
            ("0e99", 0), ("1699999999.999", 1_699_999_999), ("1.6999999999e9", 1_699_999_999),
            ("15e-1", 1), ("1e-999999999999", 0), ("123e-2", 1), ("0.0015e3", 1),
            ("253402300799.9", 253_402_300_799),
        ] as [(String, Int64)])
    func `the fraction of a time is dropped`(literal: String, seconds: Int64) throws {
        let payload =
            "{\"iss\":\"\(Forge.issuer)\",\"aud\":\"app\",\"exp\":253402300799.75"
            + ",\"nbf\":\(seconds > 1_700_000_000 ? "0" : literal)"
            + ",\"iat\":\(literal)}"
        let token = try Forge.token(
            header: Forge.header(Forge.p256), payload: payload, with: Forge.p256)
        var expectations = Forge.expectations
        expectations.issueLeeway = .days(4_000_000)
        let verified = try JWT.verify(token, keys: Forge.keys(Forge.p256), expecting: expectations)
        expectEqual(verified.issuedAt, Instant(seconds: seconds))
        expectEqual(verified.expiresAt, Instant(seconds: 253_402_300_799))
    }

    @Test func `a long sequence of digits is parsed completely`() throws {
        let zeros = String(repeating: "0", count: 4000)
        for literal in ["0.\(zeros)17000006e4010", "17000006\(zeros)e-3998"] {
            let payload = "{\"iss\":\"\(Forge.issuer)\",\"aud\":\"app\",\"exp\":\(literal)}"
            let token = try Forge.token(
                header: Forge.header(Forge.p256), payload: payload, with: Forge.p256)
            let verified = try JWT.verify(
                token, keys: Forge.keys(Forge.p256), expecting: Forge.expectations)
            expectEqual(verified.expiresAt, Instant(seconds: 1_700_000_600), "\(literal.count)")
        }
    }

    @Test func `a token without exp is refused unless ageMax limits it`() throws {
        let endless: [String: JSON?] = ["exp": nil]
        try expectEqual(verdict(endless), .missingClaim("exp"))
        try expectEqual(verdict(endless) { $0.requiresExpiry = false }, .missingClaim("exp"))
        try expectEqual(
            verdict(endless) {
                $0.requiresExpiry = false
                $0.ageMax = .minutes(5)
            }, nil)
        try expectEqual(
            verdict(["exp": nil, "iat": nil]) {
                $0.requiresExpiry = false
                $0.ageMax = .minutes(5)
            }, .missingClaim("iat"))
    }

    @Test(
        arguments: [(-309, nil), (-310, .tooOld), (-100_000, .tooOld), (0, nil), (10, nil)]
            as [(Int64, TokenFailure?)])
    func `a token can be too old before it expires`(
        issuedAfterNow: Int64, expected: TokenFailure?
    ) throws {
        let issuedAt = Forge.now.seconds + issuedAfterNow
        try expectEqual(verdict(["iat": .number(issuedAt)]) { $0.ageMax = .minutes(5) }, expected)
    }

    @Test func `an age limit requires iat`() throws {
        try expectEqual(verdict(["iat": nil]), nil)
        try expectEqual(verdict(["iat": nil]) { $0.ageMax = .minutes(5) }, .missingClaim("iat"))
    }

    @Test func `required claims must be present and not null`() throws {
        try expectEqual(verdict([:]) { $0.requires = ["sub"] }, nil)
        try expectEqual(verdict(["sub": nil]) { $0.requires = ["sub"] }, .missingClaim("sub"))
        try expectEqual(verdict([:]) { $0.requires = ["nonce"] }, .missingClaim("nonce"))
        try expectEqual(
            verdict(["nonce": .null]) { $0.requires = ["nonce"] }, .missingClaim("nonce"))
    }

    @Test(arguments: [.null, 1, ["user"], true, ["id": "user"]] as [JSON])
    func `a subject that is not a string is refused`(value: JSON) throws {
        try expectEqual(verdict(["sub": value]), .malformedClaims)
    }

    @Test func `claims are not checked if the signature is invalid`() throws {
        let otherKey = try SigningKey.generate(.es256, random: .seeded(5))
        let token = try Forge.token(
            header: Forge.header(Forge.p256), payload: "not even JSON", with: otherKey)
        try expectEqual(Forge.verdict(token), .badSignature)
    }

    @Test func `extreme clocks and leeways do not trap`() throws {
        for now in [Int64.min, -1, 0, .max] {
            _ = try verdict([:]) {
                $0.now = Instant(milliseconds: now)
                $0.leeway = Span(milliseconds: .max)
                $0.ageMax = Span(milliseconds: .max)
            }
        }
    }
}
