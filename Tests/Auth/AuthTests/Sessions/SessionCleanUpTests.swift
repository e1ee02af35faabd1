import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Cryptography
import Foundation
import KeyValueStore
import SQLiteStore
import Testing
import Time

/// Rows that have expired are deleted by the store: by time to live in DynamoDB, by a sweep of every
/// process in SQLite.
@Suite("Clean-up of sessions") struct SessionCleanUpTests {
    private let clock = TestClock()

    /// Whether a row was deleted is checked by setting the clock back before its expiry.
    @Test func `rows of expired sessions and tokens are deleted, and no others`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("state.db").path
        // A process sweeps at its first commit.
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
        clock.advance(by: .days(-31))
        let kit = try restarted(seed: 4)
        let token = StoreLayout.refreshToken(hash: SHA256.hash(Array(first.refresh.reveal().utf8)))
        #expect(try kit.sessions(of: first.user.id).isEmpty)
        #expect(try kit.sessions(of: second.user.id).count == 1)
        #expect(try kit.sessions(of: third.user.id).count == 1)
        // Its token is kept, so that reuse is known as such, for as long as a session can live.
        #expect(try kit.store.get(token) != nil)
        clock.advance(by: .days(366))
        _ = try restarted(seed: 5).session(of: "004")
        clock.advance(by: .days(-366))
        let later = try restarted(seed: 6)
        #expect(try later.store.get(token) == nil)
        #expect(try later.store.get(StoreLayout.profile(first.user.id)) != nil)
    }
}
