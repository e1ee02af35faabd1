@Suite("IdentityVerifier")
struct IdentityVerifierTests {
    let fixture = ProviderFixture()

    @Test func `all of Apple's claims are read`() throws {
        let token = IDToken.apple().with("transfer_sub", "001234.old.5678")
        let identity = try fixture.verify(token.text, Configured.apple).get()
        expectEqual(identity.provider, "apple")
        expectEqual(identity.issuer, "https://appleid.apple.com")
        expectEqual(identity.subject, "001234.0123456789abcdef0123456789abcdef.5678")
        expectEqual(identity.email, "x@privaterelay.appleid.com")
        #expect(identity.isEmailVerified)
        #expect(identity.isPrivateEmail)
        expectEqual(identity.displayName, nil)
        expectEqual(identity.realUserStatus, .likelyReal)
        expectEqual(identity.transferSubject, "001234.old.5678")
        expectEqual(identity.audience, "com.example.app")
        expectEqual(identity.tokenIssuedAt, ProviderFixture.noon)
        expectEqual(identity.tokenExpiresAt, ProviderFixture.noon + .days(1))
        expectEqual(identity.tokenFingerprint.count, 32)
        #expect(!identity.nonceWasChecked)
    }

    @Test func `both spellings of an issuer are one identity`() throws {
        let google = try ["https://accounts.google.com", "accounts.google.com"].map {
            try fixture.verify(IDToken.google().with("iss", .string($0)).text, Configured.google)
                .get()
        }
        expectEqual(google[0].issuer, google[1].issuer)
        expectEqual(google[0].subject, google[1].subject)
        let apple = try ["https://appleid.apple.com", "https://account.apple.com"].map {
            try fixture.verify(IDToken.apple().with("iss", .string($0)).text, Configured.apple)
                .get()
        }
        expectEqual(apple[0].issuer, apple[1].issuer)
        expectEqual(apple[0].issuer, "https://appleid.apple.com")
    }

    @Test(
        arguments: [
            (JSON.string("com.example.app"), nil, "com.example.app"),
            ("com.example.web", nil, "com.example.web"),
            (["com.example.app"], nil, "com.example.app"),
            ("com.example.app", "somebody.else", "com.example.app"),
            (["other", "com.example.web"], "com.example.web", "com.example.web"),
            (["com.example.app", "com.example.web"], "com.example.web", "com.example.web"),
            (["other", "com.example.web"], "com.example.app", "com.example.web"),
        ] as [(JSON, JSON?, String)])
    func `an audience with one of the configured client ids is accepted`(
        audience: JSON, party: JSON?, expected: String
    ) throws {
        let token = IDToken.apple().with("aud", audience).with("azp", party).text
        try expectEqual(fixture.verify(token, Configured.apple).get().audience, expected)
    }

    @Test(
        arguments: [
            (JSON.string("com.example.ap"), nil), ("com.example.app ", nil),
            ("COM.EXAMPLE.APP", nil), ("other", "com.example.app"), (["other"], nil), ([], nil),
            (["other", "com.example.app"], nil), (["other", "com.example.app"], "other"),
            (["com.example.app", "com.example.web"], nil), (["com.example.app", "other"], 7),
            ("com.example.app,com.example.web", nil),
        ] as [(JSON, JSON?)])
    func `a token for another audience is refused`(audience: JSON, party: JSON?) {
        let token = IDToken.apple().with("aud", audience).with("azp", party).text
        expectEqual(fixture.verify(token, Configured.apple).failure, .invalidAudience)
    }

    @Test(
        arguments: [
            nil, "", .string(String(repeating: "a", count: 256)), "a\u{0}b",
            "a\nb", "\u{7F}", "\u{85}", .string(String(repeating: "\u{e9}", count: 128)),
        ] as [JSON?])
    func `an invalid subject of a token is refused`(subject: JSON?) {
        let token = IDToken.google().with("sub", subject).text
        expectEqual(fixture.verify(token, Configured.google).failure, .invalidSubject)
    }

    @Test(arguments: ["a", String(repeating: "a", count: 255), "auth0|x@y z", "caf\u{e9}"])
    func `any other subject is accepted unchanged`(subject: String) throws {
        let token = IDToken.google().with("sub", .string(subject)).text
        #expect(
            try fixture.verify(token, Configured.google).get().subject.utf8
                .elementsEqual(subject.utf8))
    }

    @Test(
        arguments: [
            (JSON.bool(true), true), ("true", true), (false, false), ("false", false),
            (nil, false), ("TRUE", false), ("1", false), (1, false), (.null, false),
            ([true], false), ("true ", false),
        ] as [(JSON?, Bool)])
    func `an address is only verified if the claim says so`(claim: JSON?, expected: Bool) throws {
        let google = IDToken.google().with("email_verified", claim).text
        try expectEqual(fixture.verify(google, Configured.google).get().isEmailVerified, expected)
        let apple = IDToken.apple().with("email_verified", claim).with("is_private_email", claim)
        let identity = try fixture.verify(apple.text, Configured.apple).get()
        expectEqual(identity.isEmailVerified, expected)
        expectEqual(identity.isPrivateEmail, expected)
    }

    @Test(
        arguments: [
            nil, .null, "", "ada", "@example.com", "ada@", "a@b@c", "ada @example.com", 7,
            ["a@b"], "ada@exa\u{0}mple.com", "ada@example.com\n", "ada@\u{2003}example.com",
            .string(String(repeating: "a", count: 250) + "@b.de"),
        ] as [JSON?])
    func `a missing or malformed e-mail address does not prevent sign-in`(email: JSON?) throws {
        let token = IDToken.google().with("email", email).text
        let identity = try fixture.verify(token, Configured.google).get()
        expectEqual(identity.email, nil)
        #expect(!identity.isEmailVerified)
    }

    @Test(
        arguments: [
            (JSON.string("Ada Lovelace"), JSON.string("A"), JSON.string("L"), "Ada Lovelace"),
            (nil, "Ada", "Lovelace", "Ada Lovelace"), (nil, "Ada", nil, "Ada"),
            (7, nil, "Lovelace", "Lovelace"), (nil, nil, nil, nil), ("", "", "", nil),
            ("a\u{1B}[31m", nil, nil, nil),
            (.string(String(repeating: "a", count: 257)), nil, nil, nil),
        ] as [(JSON?, JSON?, JSON?, String?)])
    func `a display name is made from the available claims`(
        name: JSON?, given: JSON?, family: JSON?, expected: String?
    ) throws {
        let token = IDToken.google().with("name", name).with("given_name", given)
            .with("family_name", family).text
        try expectEqual(fixture.verify(token, Configured.google).get().displayName, expected)
    }

    @Test(
        arguments: [
            (JSON.number(0), VerifiedIdentity.RealUserStatus.unsupported), (1, .unknown),
            (2, .likelyReal), (3, nil), ("2", nil), (nil, nil),
        ] as [(JSON?, VerifiedIdentity.RealUserStatus?)])
    func `real_user_status has three known values`(
        claim: JSON?, expected: VerifiedIdentity.RealUserStatus?
    ) throws {
        let token = IDToken.apple().with("real_user_status", claim).text
        try expectEqual(fixture.verify(token, Configured.apple).get().realUserStatus, expected)
    }

    @Test func `the fingerprint identifies a token`() throws {
        let one = try fixture.verify(IDToken.apple().text, Configured.apple).get()
        let same = try fixture.verify(IDToken.apple().text, Configured.apple).get()
        let other = try fixture.verify(IDToken.apple().with("c_hash", "d").text, Configured.apple)
            .get()
        expectEqual(one.tokenFingerprint, same.tokenFingerprint)
        #expect(one.tokenFingerprint != other.tokenFingerprint)
    }

    @Test func `pinned keys need no request`() throws {
        let pinned = try Configured.apple.pinned(toJWKS: TestKey.jwks([.rsa]).serialized)
        _ = try fixture.verify(IDToken.apple().text, pinned).get()
        let other = IDToken.apple(key: .otherRSA).text
        expectEqual(fixture.verify(other, pinned).failure, .unknownKeyID)
        expectEqual(fixture.provider.fetches, 0)
        expectEqual(fixture.store.reads, 0)
    }
}
