import AuthTestSupport
import Foundation
import SQLiteStore
import TestSupport

/// Tests which connection waits for which. A write reads the clock while it holds the lock, which
/// these tests use as a hook.
@Suite("SQLite: locks", .hangLimit)
struct SQLiteLockTests {
    private static let counter = CounterIncrement(
        ItemKey("p", "count"), expiresAt: Instant(milliseconds: .max))
    private static let keys = [ItemKey("p", "old"), ItemKey("p", "none")]

    @Test func `reads take no lock; a second writer waits until its timeout`() throws {
        try withFile { path in
            let other = try SQLiteStore(path: path, clock: .system, lockWaitMillisecondsMax: 20)
            try other.put("p", "old")
            let failures = Mutex<[StoreFailure?]>([])
            let clock = WallClock {
                #expect(throws: Never.self) { try other.get(Self.keys[0]) != nil }
                #expect(throws: Never.self) { try other.sorts("p") == utf8("old") }
                #expect(throws: Never.self) { try other.read(Self.keys, counting: []) }
                let thrown = [
                    #expect(throws: StoreFailure.self) { try other.put("p", "other") },
                    #expect(throws: StoreFailure.self) {
                        try other.read(Self.keys, counting: [Self.counter])
                    },
                ]
                failures.withLock { $0 = thrown }
                return Instant(seconds: 1)
            }
            try SQLiteStore(path: path, clock: clock).put("p", "new")
            for failure in failures.withLock({ $0 }) {
                guard case .unavailable(let detail) = failure else {
                    Issue.record("not unavailable: \(String(describing: failure))")
                    continue
                }
                #expect(detail.contains("sqlite:\(path): locked for more than 20 ms"))
            }
            try expectEqual(other.sorts("p"), utf8("new", "old"))
            try other.put("p", "other")
            try expectEqual(other.read([], counting: [Self.counter]).sums, [1])
        }
    }

    @Test func `an open read transaction does not block a writer`() throws {
        try withFile { path in
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
        try withFile { path in
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

    @Test func `a writer that is killed leaves no lock behind`() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "latchkey-store-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/store.db"
        let store = try SQLiteStore(path: path, clock: .system)
        try store.put("p", "before")
        for _ in 0..<3 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let clock = WallClock {
                    kill(getpid(), SIGKILL)
                    return Instant(seconds: 1)
                }
                try SQLiteStore(path: path, clock: clock).put("p", "killed")
            }
            try expectEqual(store.read([], counting: [Self.counter]).sums.count, 1)
            try store.put("p", "after")
        }
        try expectEqual(store.sorts("p"), utf8("after", "before", "count"))
    }

    @Test func `many concurrent writers all succeed`() throws {
        try withFile { path in
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

    private func withFile(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { try body($0 + "/store.db") }
    }
}
