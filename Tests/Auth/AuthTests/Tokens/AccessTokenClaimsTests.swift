/// Access tokens in the formats of other contracts.
@Suite("AccessTokenPolicy") struct AccessTokenClaimsTests {
    /// An integer subject, no issuer, no key id.
    static let integerSubject = Policy.testing.with {
        $0.accounts.hasPublicID = true
        $0.accessTokens.type = "JWT"
        $0.accessTokens.claims = [
            .init("sub", .publicUserID), .init("email", .email), .init("sid", .userAndSession),
            .init("ver", .epoch), .init("iat", .issuedAt), .init("exp", .expiresAt),
        ]
    }

    private func parts(_ token: String) throws -> (header: JSON, claims: JSON) {
        let parts = try token.split(separator: ".").prefix(2).map { part in
            try JSON.parse(#require(Base64URL.decode(part)), limits: .request)
        }
        return (parts[0], parts[1])
    }

    @Test func `a claim without a value is omitted`() throws {
        let kit = try AuthKit(policy: Self.integerSubject)
        let user = User(
            id: UserID(random: .seeded(1)), email: nil, isEmailVerified: false, displayName: nil,
            identities: [], createdAt: kit.clock.now)
        let token = try kit.auth.accessTokens.signer(for: .me, Caller()).issue(
            to: user, session: SessionID(random: .seeded(2)), boundTo: nil, at: kit.clock.now)
        let (_, claims) = try parts(token.reveal())
        #expect(claims["email"] == nil && claims["sub"] == nil && claims["sid"] != nil)
    }

    @Test func `a sid claim that lacks one of the two ids is refused`() throws {
        let kit = try AuthKit(policy: Self.integerSubject)
        let key = try kit.auth.signingKeys.signingKey(at: kit.clock.now)
        let (user, session) = (UserID(random: .seeded(1)), SessionID(random: .seeded(2)))
        let both = "\(user.text).\(session.text)"
        func verify(_ sid: JSON?) throws -> AccessClaims {
            var claims: JSONObject = [
                "sub": 1, "ver": 0, "iat": .number(JSONNumber(kit.clock.now.seconds)),
                "exp": .number(JSONNumber(kit.clock.now.seconds + 900)),
            ]
            claims["sid"] = sid
            let token = try JWT.sign(claims, with: key, type: "JWT", includesKeyID: false)
            return try kit.auth.accessTokens.verify(token, at: kit.clock.now)
        }
        let claims = try verify(.string(both))
        #expect(claims.user == user && claims.session == session)
        let bad: [JSON?] = [
            nil, 1, "", ".", .string(user.text), .string(session.text), .string(both + "."),
            .string("." + both), .string("\(user.text)\(session.text)"),
            .string("\(user.text)..\(session.text)"), .string("\(user.text).x"),
            .string(both.uppercased()), [.string(user.text), .string(session.text)],
        ]
        for sid in bad {
            expectError(.accessToken(.invalid), "\(String(describing: sid))") { try verify(sid) }
        }
    }

    /// Same key and same user: only the policy's expectations differ.
    @Test func `a token of one policy is refused by every other policy`() throws {
        let policies = [
            Policy.testing, Self.integerSubject,
            .testing.with { $0.accessTokens.audience = "other" },
            .testing.with { $0.accessTokens.type = "other+jwt" },
            .testing.with { $0.accessTokens.claims.removeAll { $0.value == .issuer } },
        ]
        let kits = try policies.map { try AuthKit(policy: $0) }
        for (index, kit) in kits.enumerated() {
            let token = try kit.session().access.reveal()
            for (other, verifier) in kits.enumerated() {
                let isAccepted =
                    (try? verifier.auth.accessTokens.verify(token, at: kit.clock.now)) != nil
                expectEqual(isAccepted, index == other, "\(index) by \(other)")
            }
        }
    }
}
