import AuthTestSupport
import Foundation
import SQLiteStore
import TestSupport

@Suite("SQLite: many processes", .hangLimit)
struct SQLiteProcessTests {
    private static let counter = ItemKey("p", "count")
    private static let never = Instant(milliseconds: .max)

    @Test func `connections that create the file concurrently all succeed`() throws {
        for exists in [false, true] {
            try withTemporaryDirectory { directory in
                let path = directory + "/store.db"
                // An empty file, as made by `mktemp`, is treated like a missing one.
                if exists { try Data().write(to: URL(filePath: path)) }
                let sums = try onThreads(64) { _ in
                    try SQLiteStore(path: path, clock: .system)
                        .increment(Self.counter, by: 1, expiresAt: Self.never)
                }
                expectEqual(sums.sorted(), Array(1...64))
            }
        }
    }

    @Test func `processes that create the file concurrently lose no addition and no write`()
        async throws
    {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/store.db"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let end = Instant(milliseconds: .max)
                        let counters = ["count", "other"].map {
                            CounterIncrement(ItemKey("p", $0), expiresAt: end)
                        }
                        let store = try SQLiteStore(path: path, clock: .system)
                        let own = ItemKey("q", "\(getpid())")
                        for round in 0..<25 as Range<Int64> {
                            // One operation: begins with a count and a read, and ends with a write
                            // that depends on what it read.
                            let read = try store.read([own], counting: counters)
                            guard read.sums[0] == read.sums[1],
                                read.items[0]?.attributes["n"]
                                    == (round == 0 ? nil : .integer(round))
                            else { exit(3) }
                            try store.write([
                                .put(
                                    Item(own, ["n": .integer(round + 1)]),
                                    when: round == 0
                                        ? [.absent] : [.equals("n", .integer(round))])
                            ])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try SQLiteStore(path: path, clock: .system)
        try expectEqual(store.increment(Self.counter, by: 0, expiresAt: Self.never), 200)
        let rows = try store.query(PartitionQuery("q", limit: 100)).items
        expectEqual(rows.map(\.attributes), Array(repeating: ["n": .integer(25)], count: 8))
    }

    @Test(arguments: [0, 3, 10, 30, 90])
    func `acknowledged writes survive a kill`(delayMilliseconds: Int)
        async throws
    {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                directory = directory as String, delayMilliseconds = delayMilliseconds as Int
            ] in
            let store = try SQLiteStore(path: directory + "/store.db", clock: .system)
            let acknowledged = open(
                directory + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            let value = Attribute.bytes([UInt8](repeating: 0xA5, count: 5000))
            for index in 0..<1_000_000 {
                // With commits in between that are not synced.
                let counter = CounterIncrement(
                    ItemKey("p", "count"), expiresAt: Instant(milliseconds: .max))
                _ = try store.read([], counting: [counter])
                // Two items in one transaction, of which both or none must exist.
                try store.write(
                    ["a", "b"].map {
                        .put(Item(ItemKey($0, "s\(index)"), ["v": value]), when: [.absent])
                    })
                write(acknowledged, ".", 1)
                if index == 10 {
                    // Killed at any point of its work.
                    Thread.detachNewThread {
                        usleep(useconds_t(delayMilliseconds) * 1000)
                        kill(getpid(), SIGKILL)
                    }
                }
            }
        }
        let acknowledged =
            (try? Data(contentsOf: URL(filePath: directory + "/acknowledged")))?.count ?? 0
        #expect(acknowledged > 10)
        let store = try SQLiteStore(path: directory + "/store.db", clock: .system)
        for index in 0..<acknowledged {
            let items = try store.get([ItemKey("a", "s\(index)"), ItemKey("b", "s\(index)")])
            #expect(items.allSatisfy { $0 != nil }, "write \(index) of \(acknowledged) is lost")
        }
        #expect(
            try store.increment(Self.counter, by: 0, expiresAt: Self.never) >= acknowledged)
        // The last write is complete or absent; then the store still works.
        let last = try store.get([
            ItemKey("a", "s\(acknowledged)"), ItemKey("b", "s\(acknowledged)"),
        ])
        expectEqual(last[0] == nil, last[1] == nil)
        try store.put("p", "after")
    }

    @Test func `a full disk fails the write and keeps acknowledged ones`()
        async throws
    {
        let directory = try temporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        await #expect(processExitsWith: .exitCode(75)) { [directory = directory as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 200_000, rlim_max: 200_000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let store = try SQLiteStore(path: directory + "/store.db", clock: .system)
            let value = Attribute.bytes([UInt8](repeating: 0xA5, count: 5000))
            for index in 0..<1000 {
                do throws(StoreFailure) {
                    try store.write([
                        .put(Item(ItemKey("p", "s\(index)"), ["v": value]), when: [])
                    ])
                } catch {
                    guard case .unavailable = error else { exit(2) }
                    // Further writes may fail or succeed, but reads work.
                    let kept = try store.query(PartitionQuery("p", limit: 1000)).items.count
                    exit(kept >= index && index > 3 ? 75 : 1)
                }
            }
        }
        let store = try SQLiteStore(path: directory + "/store.db", clock: .system)
        #expect(try store.sorts("p").count > 3)
        try store.put("p", "after")
    }

    private func temporaryDirectory() throws -> String {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "latchkey-store-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        return directory
    }
}
