@Suite("Session") struct SessionTests {
    static let start = Instant(seconds: 1_700_000_000)
    static let rotation = Rotation.everyUse(grace: .seconds(60))

    static func session(
        generation: Int64 = 5, lastUsedAt: Instant = start,
        idle: Instant = start + .days(30), absolute: Instant = start + .days(365)
    ) -> Session {
        let random = RandomSource.seeded(1)
        return Session(
            id: SessionID(random: random), user: UserID(random: random), generation: generation,
            seed: [1], epoch: 0, proofs: .password(at: start), lastUsedAt: lastUsedAt,
            idleExpiresAt: idle, absoluteExpiresAt: absolute,
            origin: SessionOrigin(provider: "apple"), writer: [3])
    }

    struct Row: Sendable {
        let presented: Int64
        let after: Span
        let verdict: Session.TokenUse
    }

    static let rows: [Row] = [
        // The current token, at any time.
        Row(presented: 5, after: .zero, verdict: .advance),
        Row(presented: 5, after: .seconds(60), verdict: .advance),
        Row(presented: 5, after: .days(30) - .milliseconds(1), verdict: .advance),
        // The previous one, before and after the end of the grace period.
        Row(presented: 4, after: .zero, verdict: .repeatSuccessor),
        Row(presented: 4, after: .milliseconds(59_999), verdict: .repeatSuccessor),
        Row(presented: 4, after: .milliseconds(60_000), verdict: .reuse(.previous)),
        Row(presented: 4, after: .milliseconds(60_001), verdict: .reuse(.previous)),
        // A clock that was set back, or is behind, is not a sign of theft.
        Row(presented: 4, after: .seconds(-3600), verdict: .repeatSuccessor),
        // Anything older, at any time.
        Row(presented: 3, after: .zero, verdict: .reuse(.older)),
        Row(presented: 3, after: .milliseconds(1), verdict: .reuse(.older)),
        Row(presented: 0, after: .zero, verdict: .reuse(.older)),
        Row(presented: 0, after: .seconds(-3600), verdict: .reuse(.older)),
        Row(presented: -1, after: .zero, verdict: .reuse(.older)),
        // A generation that was never issued.
        Row(presented: 6, after: .zero, verdict: .unknown),
        Row(presented: .max, after: .zero, verdict: .unknown),
        // Expired, whichever token it is.
        Row(presented: 5, after: .days(30), verdict: .expired),
        Row(presented: 4, after: .days(30), verdict: .expired),
        Row(presented: 3, after: .days(30), verdict: .expired),
        Row(presented: 6, after: .days(30), verdict: .expired),
    ]

    @Test(arguments: rows) func `the verdict depends on generation and time`(row: Row) {
        let verdict = Self.session().present(
            generation: row.presented, at: Self.start + row.after, rotation: Self.rotation)
        expectEqual(verdict, row.verdict)
    }

    @Test func `a session ends at its idle or absolute timeout, to the millisecond`() {
        let idleFirst = Self.session(idle: Self.start + .days(1), absolute: Self.start + .days(2))
        let absoluteFirst = Self.session(
            idle: Self.start + .days(2), absolute: Self.start + .days(1))
        for session in [idleFirst, absoluteFirst] {
            let end = Self.start + .days(1)
            expectEqual(session.expiresAt, end)
            expectEqual(
                session.present(generation: 5, at: end - .milliseconds(1), rotation: Self.rotation),
                .advance)
            expectEqual(session.present(generation: 5, at: end, rotation: Self.rotation), .expired)
        }
    }

    @Test func `without a grace period the previous token counts as reused at once`() {
        let verdict = Self.session().present(
            generation: 4, at: Self.start, rotation: .everyUse(grace: .zero))
        expectEqual(verdict, .reuse(.previous))
    }

    @Test func `without rotation the token is valid until the session ends`() {
        let rows: [(Int64, Span, Session.TokenUse)] = [
            (0, .zero, .keep), (0, .days(30) - .milliseconds(1), .keep), (0, .days(30), .expired),
            (1, .zero, .unknown), (-1, .zero, .reuse(.older)),
        ]
        for (presented, after, expected) in rows {
            let verdict = Self.session(generation: 0).present(
                generation: presented, at: Self.start + after, rotation: .never)
            expectEqual(verdict, expected, "generation \(presented)")
        }
    }

    @Test func `the grace period begins with the last refresh, not with the sign-in`() {
        let session = Self.session(lastUsedAt: Self.start + .hours(1))
        func verdict(_ after: Span) -> Session.TokenUse {
            session.present(generation: 4, at: Self.start + after, rotation: Self.rotation)
        }
        expectEqual(verdict(.seconds(3659)), .repeatSuccessor)
        expectEqual(verdict(.seconds(3660)), .reuse(.previous))
    }
}

extension Span {
    static func - (left: Span, right: Span) -> Span {
        Span(milliseconds: left.milliseconds - right.milliseconds)
    }
}
