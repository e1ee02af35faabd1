import Foundation
import SQLiteStore

/// Rows that have expired are deleted by the store: by time to live in DynamoDB, by a sweep of
/// every process in SQLite.
@Suite("Clean-up of sessions") struct SessionCleanUpTests {
    private let clock = TestClock()

    /// Whether a row was deleted is checked by setting the clock back before its expiry.
    @Test func `only rows of expired sessions and tokens are deleted`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("state.db").path
        // A process sweeps sixteen rows at its first commit.
        func restarted(seed: UInt64) throws -> AuthKit {
            try AuthKit(
                policy: .testing.with { $0.sessions.refreshTokens = .opaque(prefix: "") },
                clock: clock, store: SQLiteStore(path: path, clock: clock.wall), seed: seed)
        }
        let first = try restarted(seed: 1).session(of: "001")
        clock.advance(by: .days(29))
        let second = try restarted(seed: 2).session(of: "002")
        // The first session ended thirty days after it began.
        clock.advance(by: .days(2))
        let third = try restarted(seed: 3).session(of: "003")
        for seed: UInt64 in 10..<20 { _ = try restarted(seed: seed).session(of: "004") }
        clock.advance(by: .days(-31))
        let kit = try restarted(seed: 4)
        let tokens = [first, second].map { session in
            StoreLayout.refreshToken(hash: SHA256.hash(Array(session.refresh.reveal().utf8)))
        }
        #expect(try kit.sessions(of: first.user.id).isEmpty)
        try expectEqual(kit.sessions(of: second.user.id).count, 1)
        try expectEqual(kit.sessions(of: third.user.id).count, 1)
        // The current token of a session is deleted together with the session.
        try expectEqual(kit.store.get(tokens[0]), nil)
        #expect(try kit.store.get(tokens[1]) != nil)
        #expect(try kit.store.get(StoreLayout.profile(first.user.id)) != nil)
    }
}
