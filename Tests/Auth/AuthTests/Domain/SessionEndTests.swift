@Suite("SessionEnd") struct SessionEndTests {
    static let start = Instant(seconds: 1_700_000_000)

    private static func session(
        idle: Span = .days(30), absolute: Span = .days(365), epoch: Int64 = 0
    ) -> Session {
        Session(
            id: SessionID(random: .seeded(1)), user: UserID(random: .seeded(2)), generation: 0,
            seed: [1], epoch: epoch, proofs: .password(at: start), lastUsedAt: start,
            idleExpiresAt: start + idle, absoluteExpiresAt: start + absolute,
            origin: SessionOrigin(provider: "apple"), writer: [])
    }

    private static func user(_ change: (inout User) -> Void = { _ in }) -> User {
        var user = User(
            id: UserID(random: .seeded(2)), email: nil, isEmailVerified: false, displayName: nil,
            identities: [], createdAt: start)
        change(&user)
        return user
    }

    struct Row: Sendable {
        var session: Session? = SessionEndTests.session()
        var user: User? = SessionEndTests.user()
        var after = Span.zero
        let end: SessionEnd?
    }

    static let rows: [Row] = [
        Row(end: nil), Row(after: .days(30) - .milliseconds(1), end: nil),
        Row(after: .days(30), end: .idle),
        Row(session: session(idle: .days(400)), after: .days(365) - .milliseconds(1), end: nil),
        Row(session: session(idle: .days(400)), after: .days(365), end: .tooOld),
        Row(after: .days(365), end: .tooOld), Row(session: nil, end: .deleted),
        Row(user: nil, end: .accountDeleted), Row(session: nil, user: nil, end: .accountDeleted),
        Row(user: user { $0.deletedAt = start }, end: .accountDeleted),
        Row(session: nil, user: user { $0.deletedAt = start }, end: .accountDeleted),
        Row(user: user { $0.epoch = 1 }, end: .signedOutEverywhere),
        Row(session: session(epoch: 1), end: .signedOutEverywhere),
        Row(session: session(epoch: 1), user: user { $0.epoch = 1 }, end: nil),
        Row(user: user { $0.isDisabled = true }, end: .accountDisabled),
        // A session that had already ended keeps that reason.
        Row(session: nil, user: user { $0.isDisabled = true }, end: .deleted),
        Row(user: user { $0.isDisabled = true }, after: .days(30), end: .idle),
        Row(
            user: user {
                $0.isDisabled = true
                $0.epoch = 1
            }, end: .signedOutEverywhere),
        Row(
            user: user {
                $0.isDisabled = true
                $0.deletedAt = start
            }, end: .accountDeleted),
        // A new sign-in or administrator rights do not matter.
        Row(user: user { $0.adminRole = .administrator }, end: nil),
        Row(user: user { $0.revision = 9 }, end: nil),
    ]

    @Test(arguments: rows) func `a session has the expected reason for its end`(row: Row) {
        expectEqual(SessionEnd.of(row.session, row.user, at: Self.start + row.after), row.end)
    }
}
