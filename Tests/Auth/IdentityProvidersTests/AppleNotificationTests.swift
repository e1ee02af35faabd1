/// Apple's notifications as tokens: signature, audience, age.
@Suite("Apple notifications") struct AppleNotificationTests {
    let fixture = ProviderFixture()

    private static let event: JSONObject = [
        "type": "consent-revoked", "sub": "001234.0123456789abcdef.5678",
        "event_time": .number(ProviderFixture.noon.milliseconds),
    ]

    /// In Apple's format: JSON in a string, no `sub` claim, no `typ`.
    private func token(_ change: (inout JSONObject) -> Void = { _ in }) -> IDToken {
        var event = Self.event
        change(&event)
        var token = IDToken.apple()
        token.claims = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app",
            "iat": .number(ProviderFixture.noon.seconds), "jti": "abede67",
            "events": .string(JSON.object(event).text),
        ]
        return token
    }

    private func read(_ token: IDToken) -> Result<AppleNotification, IdentityFailure> {
        read(token.text)
    }

    private func read(_ text: String) -> Result<AppleNotification, IdentityFailure> {
        do {
            return .success(
                try fixture.process().verify(
                    notification: text, provider: Configured.apple, now: fixture.clock.now))
        } catch {
            return .failure(error)
        }
    }

    @Test func `notifications of both issuers and for both client IDs are accepted`() throws {
        let other = token().with("iss", "https://account.apple.com").with("aud", "com.example.web")
        try expectEqual(read(other).get().issuer, "https://appleid.apple.com")
    }

    @Test func `events may be an object, and the header may have a type`() throws {
        let plain = token().with("events", .object(Self.event))
        for type in ["JWT", "secevent+jwt"] {
            let typed = plain.withHeader("typ", .string(type))
            try expectEqual(read(typed).get().event, .consentRevoked)
        }
        expectEqual(read(plain.withHeader("typ", "at+jwt")).failure, .invalidIDToken)
    }

    @Test func `a token for another app, or of another issuer, is refused`() {
        expectEqual(read(token().with("aud", "com.example.other")).failure, .invalidAudience)
        expectEqual(read(token().with("aud", nil)).failure, .invalidAudience)
        expectEqual(read(token().with("iss", "https://apple.example.com")).failure, .invalidIssuer)
        expectEqual(read(token().with("iss", nil)).failure, .invalidIssuer)
    }

    @Test(
        arguments: [
            (0, nil), (60, nil), (61, .invalidIssuedAt), (-7 * 86_400 + 1, nil),
            (-7 * 86_400, .tokenTooOld),
        ] as [(Int64, IdentityFailure?)])
    func `a notification is accepted for seven days`(seconds: Int64, expected: IdentityFailure?) {
        expectEqual(read(token().with("iat", secondsFromNoon: seconds)).failure, expected)
    }

    @Test func `an expiry is enforced if there is one`() {
        expectEqual(read(token().with("exp", secondsFromNoon: 0)).failure, .tokenExpired)
        expectEqual(read(token().with("exp", secondsFromNoon: 1)).failure, nil)
        expectEqual(read(token().with("iat", nil)).failure, .invalidIDToken)
    }

    @Test func `an ID token is not a notification, and a notification not an ID token`() {
        expectEqual(read(IDToken.apple()).failure, .invalidIDToken)
        let notification = token().with("exp", secondsFromNoon: 600)
        expectEqual(fixture.verify(notification.text, Configured.apple).failure, .invalidIDToken)
    }

    @Test func `a token with both events and a subject is refused as either kind`() {
        let both = IDToken.apple().with("events", .object(Self.event)).with("jti", "abede67")
        expectEqual(read(both).failure, .invalidIDToken)
        expectEqual(fixture.verify(both.text, Configured.apple).failure, .invalidIDToken)
        // Whatever the value of the other claim.
        expectEqual(read(token().with("sub", .null)).failure, .invalidIDToken)
        let empty = IDToken.apple().with("events", .null)
        expectEqual(fixture.verify(empty.text, Configured.apple).failure, .invalidIDToken)
    }

    /// The rule of identity tokens (OpenID Connect Core 1.0 section 3.1.3.7).
    @Test func `of several audiences, one must be the authorized party`() {
        let list: JSON = ["com.example.app", "com.example.other"]
        let several = token().with("aud", list)
        expectEqual(read(several).failure, .invalidAudience)
        expectEqual(read(several.with("azp", "com.example.other")).failure, .invalidAudience)
        expectEqual(read(several.with("azp", "com.example.app")).failure, nil)
        expectEqual(read(token().with("aud", ["com.example.app"])).failure, nil)
    }

    @Test(
        arguments: [
            nil, "", "junk", "[]", "{}", #"{"type":1,"sub":"1"}"#, #"{"sub":"1"}"#, 7, true, [],
            #"{"type":"a","type":"b","sub":"1"}"#,
        ] as [JSON?])
    func `invalid events are refused`(events: JSON?) {
        expectEqual(read(token().with("events", events)).failure, .invalidIDToken)
    }

    @Test(
        arguments: [nil, "", "a\u{0}", .string(String(repeating: "a", count: 256)), 7] as [JSON?])
    func `an invalid subject is refused`(subject: JSON?) {
        expectEqual(read(token { $0["sub"] = subject }).failure, .invalidSubject)
    }

    @Test func `a notification without an ID is identified by its fingerprint`() throws {
        let one = try read(token().with("jti", nil)).get()
        try expectEqual(read(token().with("jti", nil)).get().id, one.id)
        let other = try read(token().with("jti", nil).with("iat", secondsFromNoon: 1)).get()
        #expect(other.id != one.id)
        try expectEqual(
            read(token().with("jti", 7)).get().id, read(token().with("jti", 7)).get().id)
    }
}
