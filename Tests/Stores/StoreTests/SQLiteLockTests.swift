import Foundation
import SQLiteStore

/// Tests which connection waits for which. A write reads the clock while it holds the lock, which
/// these tests use as a hook.
@Suite("SQLite: locks", .hangLimit)
struct SQLiteLockTests {
    private static let counter = CounterIncrement(
        ItemKey("p", "count"), expiresAt: Instant(milliseconds: .max))
    private static let keys = [ItemKey("p", "old"), ItemKey("p", "none")]

    @Test func `reads take no lock; a second writer waits until its timeout`() throws {
        try withStoreFile { path in
            let other = try SQLiteStore(path: path, clock: .system, lockWaitMillisecondsMax: 20)
            try other.put("p", "old")
            let details = Mutex<[String]>([])
            let clock = WallClock {
                #expect(throws: Never.self) { try other.get(Self.keys[0]) != nil }
                #expect(throws: Never.self) { try other.sorts("p") == utf8("old") }
                #expect(throws: Never.self) { try other.read(Self.keys, counting: []) }
                let found = [
                    expectFailure(isRefused: false) { try other.put("p", "other") },
                    expectFailure(isRefused: false) {
                        _ = try other.read(Self.keys, counting: [Self.counter])
                    },
                ]
                details.withLock { $0 = found }
                return Instant(seconds: 1)
            }
            try SQLiteStore(path: path, clock: clock).put("p", "new")
            for detail in details.withLock({ $0 }) {
                #expect(detail.contains("sqlite:\(path): locked for more than 20 ms"))
            }
            try expectEqual(other.sorts("p"), utf8("new", "old"))
            try other.put("p", "other")
            try expectEqual(other.read([], counting: [Self.counter]).sums, [1])
        }
    }

    @Test func `an open read transaction does not block a writer`() throws {
        try withStoreFile { path in
            let other = try SQLiteStore(path: path, clock: .system, lockWaitMillisecondsMax: 20)
            let store = try SQLiteStore(path: path, clock: .system)
            try other.put("p", "old")
            let pages = try onThreads(4) { index in
                for round in 0..<50 {
                    if index == 0 { try store.put("p", "s\(round)") }
                    _ = try other.read(Self.keys + [ItemKey("p", "s\(round)")], counting: [])
                }
                return index
            }
            expectEqual(pages.count, 4)
        }
    }

    /// Conditions that a waiting writer must tolerate.
    enum Obstacle: CaseIterable {
        /// The two writers use different wake-up files, like programs that do not know of it.
        case removed
        case directory, symbolicLink, empty
    }

    @Test(arguments: Obstacle.allCases)
    func `a waiting writer continues even without a wake-up`(obstacle: Obstacle) throws {
        try withStoreFile { path in
            let (held, waits) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let holder = try SQLiteStore(
                path: path,
                clock: .first {
                    held.signal()
                    waits.wait()
                    usleep(30_000)
                })
            try FileManager.default.removeItem(atPath: path + "-lock")
            switch obstacle {
            case .removed: break
            case .directory:
                try FileManager.default.createDirectory(
                    atPath: path + "-lock", withIntermediateDirectories: false)
            case .symbolicLink:
                try FileManager.default.createSymbolicLink(
                    atPath: path + "-lock", withDestinationPath: path)
            case .empty: try Data().write(to: URL(filePath: path + "-lock"))
            }
            let waiter = try SQLiteStore(path: path, clock: .system)
            _ = try onThreads(2) { index in
                if index == 0 {
                    try holder.put("p", "holder")
                } else {
                    held.wait()
                    waits.signal()
                    try waiter.put("p", "waiter")
                }
            }
            try expectEqual(waiter.sorts("p"), utf8("holder", "waiter"))
        }
    }

    @Test func `connections that create the file concurrently all succeed`() throws {
        for exists in [false, true] {
            try withTemporaryDirectory { directory in
                let path = directory + "/store.db"
                // An empty file, as made by `mktemp`, is treated like a missing one.
                if exists { try Data().write(to: URL(filePath: path)) }
                let sums = try onThreads(64) { _ in
                    try SQLiteStore(path: path, clock: .system)
                        .increment(
                            ItemKey("p", "count"), by: 1, expiresAt: Instant(milliseconds: .max))
                }
                expectEqual(sums.sorted(), Array(1...64))
            }
        }
    }

    @Test func `many concurrent writers all succeed`() throws {
        try withStoreFile { path in
            let sums = try onThreads(8) { index in
                let store = try SQLiteStore(path: path, clock: .system)
                var sums: [Int64] = []
                for round in 0..<25 {
                    sums += try store.read(Self.keys, counting: [Self.counter]).sums
                    let item = Item(ItemKey("q", "s\(index)-\(round)"), [:])
                    try store.write([.put(item, when: [.absent])])
                }
                return sums
            }
            expectEqual(sums.joined().sorted(), Array(1...200))
        }
    }
}
