@Suite("RefreshTokenDeriver") struct RefreshTokenDeriverTests {
    static let forms: [RefreshTokenForm] = [
        .selfContained(prefix: "lkr_"), .selfContained(prefix: ""), .opaque(prefix: "lkr_"),
        .opaque(prefix: "v1."), .opaque(prefix: ""), .uuid, .jwt(type: "refresh+jwt"),
    ]

    static func session(
        user: UInt64 = 1, session: UInt64 = 2, generation: Int64 = 0, seed: [UInt8] = [1, 2]
    ) -> Session {
        let start = Instant(seconds: 1_700_000_000)
        return Session(
            id: SessionID(random: .seeded(session)), user: UserID(random: .seeded(user)),
            generation: generation, seed: seed, epoch: 0, proofs: .password(at: start),
            lastUsedAt: start,
            idleExpiresAt: start + .days(30), absoluteExpiresAt: start + .days(365),
            origin: SessionOrigin(provider: "apple"), writer: [3])
    }

    private func deriver(
        _ form: RefreshTokenForm, secret: UInt8 = 7
    ) throws -> RefreshTokenDeriver {
        RefreshTokenDeriver(try AuthKit.masterKey(secret), form: form)
    }

    // MARK: Round trips

    @Test(arguments: forms) func `a token identifies its session and generation`(
        form: RefreshTokenForm
    ) throws {
        let deriver = try deriver(form)
        for generation in [Int64(0), 1, 255, 256, 65_536, 0xFFFF_FFFF] {
            let session = Self.session(generation: generation)
            let text = try deriver.token(of: session).reveal()
            switch try #require(deriver.read(text)) {
            case .placed(let place, let proof, _):
                let expected = RefreshTokenPlace(
                    user: session.user, session: session.id, generation: generation)
                expectEqual(place, expected)
                #expect(deriver.isProven(proof, place, by: session))
                try expectEqual(deriver.lookupHash(of: session), nil)
            case .stored(let hash):
                try expectEqual(deriver.lookupHash(of: session), hash)
                expectEqual(hash, SHA256.hash(Array(text.utf8)))
            }
        }
    }

    @Test(arguments: forms) func `the same session and generation give the same token`(
        form: RefreshTokenForm
    ) throws {
        let one = try deriver(form).token(of: Self.session(generation: 9))
        let two = try deriver(form).token(of: Self.session(generation: 9))
        expectEqual(one.reveal(), two.reveal())
    }

    @Test(arguments: forms)
    func `another user, session, generation, seed or key gives another token`(
        form: RefreshTokenForm
    ) throws {
        let families = [
            Self.session(), Self.session(user: 3), Self.session(session: 3),
            Self.session(generation: 1), Self.session(generation: 256), Self.session(seed: []),
            Self.session(seed: [1]), Self.session(seed: [1, 2, 0]), Self.session(seed: [2, 1]),
        ]
        var texts = try families.map { try deriver(form).token(of: $0).reveal() }
        texts.append(try deriver(form, secret: 8).token(of: Self.session()).reveal())
        expectEqual(Set(texts).count, texts.count)
    }

    // MARK: Refusals

    @Test func `a self-contained token with any changed bit is refused without a store call`()
        throws
    {
        let store = FaultyStore(MemoryStore(clock: TestClock().wall))
        let kit = try AuthKit(store: store)
        let token = try kit.session().refresh.reveal()
        let deriver = try kit.auth.refreshTokens
        let bytes = try #require(Base64URL.decode(token.dropFirst(4)))
        expectEqual(bytes.count, 60)
        store.forgetCalls()
        // User, session, generation and check: 36 bytes plus the 8 that follow them.
        for bit in 0..<(44 * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            expectError(.refreshToken(.malformed), "bit \(bit)") {
                try kit.refresh("lkr_" + Base64URL.encode(changed), Caller())
            }
        }
        #expect(store.calls.isEmpty)
        // The proof depends on the session's seed, which is only in the store.
        for bit in (44 * 8)..<(60 * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let text = "lkr_" + Base64URL.encode(changed)
            #expect(deriver.read(text) != nil)
            expectError(.refreshToken(.unknown), "bit \(bit)") { try kit.refresh(text, Caller()) }
        }
        #expect(throws: Never.self) { try kit.refresh(token, Caller()) }
    }

    @Test func `a JWT with any changed character is refused without a store call`() throws {
        let store = FaultyStore(MemoryStore(clock: TestClock().wall))
        let kit = try AuthKit(
            policy: .testing.with { $0.sessions.refreshTokens = .jwt(type: "refresh+jwt") },
            store: store)
        let token = Array(try kit.session().refresh.reveal().utf8)
        store.forgetCalls()
        for index in token.indices {
            var changed = token
            changed[index] =
                token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            expectError(.refreshToken(.malformed), "character \(index)") {
                try kit.refresh(String(decoding: changed, as: UTF8.self), Caller())
            }
        }
        #expect(store.calls.isEmpty)
    }

    @Test func `a token of another prefix, type, form or master key is refused`() throws {
        let forms: [RefreshTokenForm] = [
            .selfContained(prefix: "lkr_"), .selfContained(prefix: "plr_"),
            .selfContained(prefix: ""), .selfContained(prefix: "lkr_A"),
            .jwt(type: "refresh+jwt"), .jwt(type: "at+jwt"),
        ]
        for (index, form) in forms.enumerated() {
            let text = try deriver(form).token(of: Self.session()).reveal()
            for (other, reader) in forms.enumerated() {
                expectEqual(try deriver(reader).read(text) != nil, index == other)
            }
            try expectEqual(deriver(form, secret: 8).read(text), nil)
        }
    }

    /// The check covers the prefix, so replacing the visible one is detected.
    @Test func `a token cannot be moved to another prefix`() throws {
        let text = try deriver(.selfContained(prefix: "lkr_")).token(of: Self.session()).reveal()
        let moved = "plr_" + text.dropFirst(4)
        try expectEqual(deriver(.selfContained(prefix: "plr_")).read(moved), nil)
        try expectEqual(deriver(.selfContained(prefix: "")).read(String(text.dropFirst(4))), nil)
    }

    @Test(arguments: [RefreshTokenForm.selfContained(prefix: "lkr_"), .jwt(type: "refresh+jwt")])
    func `the proof in a token is valid for one position and one seed`(
        form: RefreshTokenForm
    ) throws {
        let deriver = try deriver(form)
        let session = Self.session(generation: 5)
        let text = try deriver.token(of: session).reveal()
        guard case .placed(let place, let proof, _)? = deriver.read(text) else {
            Issue.record("the token has no place")
            return
        }
        #expect(deriver.isProven(proof, place, by: session))
        #expect(!deriver.isProven(proof, place, by: Self.session(generation: 5, seed: [2])))
        let others = [
            RefreshTokenPlace(user: place.user, session: place.session, generation: 4),
            RefreshTokenPlace(
                user: UserID(random: .seeded(9)), session: place.session, generation: 5),
            RefreshTokenPlace(
                user: place.user, session: SessionID(random: .seeded(9)), generation: 5),
        ]
        for other in others { #expect(!deriver.isProven(proof, other, by: session)) }
        for wrong in [[], Array(proof.dropLast()), proof + [0]] {
            #expect(!deriver.isProven(wrong, place, by: session))
        }
    }

    /// Row and token have the same generation, but the token was not derived from the row.
    @Test func `a session's token cannot be derived from the master key alone`() throws {
        let store = FaultyStore(MemoryStore(clock: TestClock().wall))
        let kit = try AuthKit(store: store)
        let tokens = try kit.session()
        var forged = Self.session(seed: [UInt8](repeating: 0, count: 32))
        forged = Session(
            id: tokens.session, user: tokens.user.id, generation: 0, seed: forged.seed, epoch: 0,
            proofs: forged.proofs, lastUsedAt: forged.lastUsedAt,
            idleExpiresAt: forged.idleExpiresAt, absoluteExpiresAt: forged.absoluteExpiresAt,
            origin: forged.origin, writer: [])
        let text = try kit.auth.refreshTokens.token(of: forged).reveal()
        expectError(.refreshToken(.unknown)) { try kit.refresh(text, Caller()) }
        #expect(throws: Never.self) { try kit.refresh(tokens) }
    }

    // MARK: Malformed tokens

    static let junk: [String] =
        [
            "", "lkr_", "lkr", "null", "' OR 1=1 --", "../../etc/passwd", "\u{0}", "...",
            "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiJ9.e30.AAAA",
            "A1B2C3D4-E5F6-4890-ABCD-EF1234567890", "a1b2c3d4-e5f6-1890-abcd-ef1234567890",
            String(repeating: "lkr_", count: 50_000), String(repeating: "A", count: 2049),
        ] + near(opaque) + near(placed)

    private static let opaque = "lkr_" + String(repeating: "A", count: 43)
    private static let placed = "lkr_" + String(repeating: "A", count: 80)

    /// Texts that differ slightly from a valid token.
    private static func near(_ good: String) -> [String] {
        let body = good.dropFirst(4)
        return [
            String(body), "LKR_" + body, "v1." + body, "v1.A" + body, " " + good, good + " ",
            good + "\n", good + "=", good + "A", String(good.dropLast()),
            "lkr_ " + body.dropFirst(), "lkr_+" + body.dropFirst(), "lkr_/" + body.dropFirst(),
            "lkr_" + body.dropLast() + "\u{0}", "lkr_\u{301}" + body.dropFirst(2),
            "l\u{301}kr_" + body.dropFirst(2), "lkr_" + body.map { _ in "Ａ" }.joined(),
        ]
    }

    @Test func `a malformed token is refused without a store call`() throws {
        let forms: [RefreshTokenForm] = [
            .selfContained(prefix: "lkr_"), .opaque(prefix: "lkr_"), .uuid,
            .jwt(type: "refresh+jwt"),
        ]
        // The unused bits of 43 characters must be zero.
        let tails = ["B", "_"].map { String(Self.opaque.dropLast()) + $0 }
        for form in forms {
            let store = FaultyStore(MemoryStore(clock: TestClock().wall))
            let kit = try AuthKit(
                policy: .testing.with { $0.sessions.refreshTokens = form }, store: store)
            for text in Self.junk + tails {
                expectError(.refreshToken(.malformed), "\(form) \(text.prefix(90))") {
                    try kit.refresh(text, Caller())
                }
                // RFC 7009 section 2.2: for sign-out an invalid token is a success.
                #expect(throws: Never.self) {
                    try kit.signOut(refreshToken: text, scope: .session, Caller())
                }
            }
            #expect(store.calls.isEmpty, "\(form)")
        }
    }

    @Test func `the texts from which malformed tokens are derived are well-formed`() throws {
        #expect(try deriver(.opaque(prefix: "lkr_")).read(Self.opaque) != nil)
        // Well-formed, but without a valid check.
        try expectEqual(deriver(.selfContained(prefix: "lkr_")).read(Self.placed), nil)
    }

    @Test(arguments: forms) func `printing a token does not reveal it`(form: RefreshTokenForm)
        throws
    {
        let token = try deriver(form).token(of: Self.session())
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains(token.reveal().dropFirst(4).prefix(8)))
        }
    }

    // MARK: In use

    static let used: [RefreshTokenForm] = [
        .selfContained(prefix: "lkr_"), .opaque(prefix: ""), .uuid, .jwt(type: "refresh+jwt"),
    ]

    @Test(arguments: used)
    func `every form can be refreshed, repeated in the grace period and revoked`(
        form: RefreshTokenForm
    ) throws {
        let kit = try AuthKit(policy: .testing.with { $0.sessions.refreshTokens = form })
        let first = try kit.session().refresh.reveal()
        let second = try kit.refresh(first, Caller()).refresh.reveal()
        #expect(second != first)
        kit.clock.advance(by: .seconds(30))
        try expectEqual(kit.refresh(first, Caller()).refresh.reveal(), second)
        let third = try kit.refresh(second, Caller()).refresh.reveal()
        kit.clock.advance(by: .days(29))
        expectError(.refreshToken(.reusedOlder)) { try kit.refresh(first, Caller()) }
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(third, Caller()) }
    }

    @Test func `the row of a token is kept as long as the token could be valid`() throws {
        let kit = try AuthKit(
            policy: .testing.with { $0.sessions.refreshTokens = .opaque(prefix: "") })
        let first = try kit.session().refresh.reveal()
        kit.clock.advance(by: .days(20))
        let second = try kit.refresh(first, Caller()).refresh.reveal()
        func expiry(_ token: String) throws -> Instant? {
            let key = StoreLayout.refreshToken(hash: SHA256.hash(Array(token.utf8)))
            return try kit.store.get(key)?.expiresAt
        }
        try expectEqual(expiry(first), kit.clock.now + .days(10))
        try expectEqual(expiry(second), kit.clock.now + .days(30))
        // Until then its reuse ends the session.
        kit.clock.advance(by: .days(10) + .milliseconds(-1))
        expectError(.refreshToken(.reusedPrevious)) { try kit.refresh(first, Caller()) }
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(second, Caller()) }
    }

    @Test func `the row of a token that is not replaced is kept for the whole session`() throws {
        let kit = try AuthKit(
            policy: .testing.with {
                $0.sessions.refreshTokens = .uuid
                $0.sessions.rotation = .never
            })
        let token = try kit.session().refresh.reveal()
        for _ in 0..<14 {
            kit.clock.advance(by: .days(26))
            #expect(throws: Never.self) { try kit.refresh(token, Caller()) }
        }
        kit.clock.advance(by: .days(1))
        #expect(throws: AuthError.self) { try kit.refresh(token, Caller()) }
    }

    /// RFC 7519 section 4.1.4: on or after its `exp` a JWT must not be accepted.
    @Test func `a token past its own expiry is refused although its session is active`() throws {
        let kit = try AuthKit(
            policy: .testing.with { $0.sessions.refreshTokens = .jwt(type: "refresh+jwt") })
        let current = try kit.session()
        let lifetime = Span.minutes(10)
        let short = try kit.shortened(current, to: lifetime)
        kit.clock.advance(by: lifetime + .milliseconds(-1))
        let next = try kit.refresh(short, Caller())
        let last = try kit.shortened(next, to: lifetime)
        kit.clock.advance(by: lifetime)
        expectError(.refreshToken(.expired)) { try kit.refresh(last, Caller()) }
        // The session's current token is valid, and the reuse of a replaced one is still detected.
        let third = try kit.refresh(next)
        expectError(.refreshToken(.reusedOlder)) { try kit.refresh(short, Caller()) }
        expectError(.refreshToken(.sessionEnded)) { try kit.refresh(third) }
    }
}

extension AuthKit {
    /// The current token of a session with another `exp`, signed with the master key.
    fileprivate func shortened(_ tokens: SessionTokens, to lifetime: Span) throws -> String {
        let key = StoreLayout.session(tokens.session, of: tokens.user.id)
        let item = try #require(try store.get(key))
        let session = try SessionRecord.session(item, id: tokens.session, user: tokens.user.id)
        return try auth.refreshTokens.token(
            of: Session(
                id: session.id, user: session.user, generation: session.generation,
                seed: session.seed,
                epoch: session.epoch, proofs: session.proofs, lastUsedAt: session.lastUsedAt,
                idleExpiresAt: session.idleExpiresAt, absoluteExpiresAt: clock.now + lifetime,
                origin: session.origin, writer: session.writer, keyID: session.keyID)
        ).reveal()
    }
}
