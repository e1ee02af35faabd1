import Foundation
import SQLiteStore

/// The threads of a process share commits. A write reads the clock while it holds the lock, which
/// these tests use to hold it.
@Suite("SQLite: threads commit together", .hangLimit)
struct SQLiteGroupCommitTests {
    private static let threads = 8

    @Test func `writes that wait share a commit, and each keeps its own outcome`() throws {
        try withHeldStore { store, path, run in
            let counter = ItemKey("p", "text")
            try store.write([.put(Item(counter, ["count": .text("none")]), when: [])])
            let before = try Self.commits(in: path)
            let failures = try run { index in
                let key = ItemKey("q", "s\(index)")
                switch index {
                case 0, 1:
                    // Only one of the two, whichever comes first.
                    try store.write([
                        .put(Item(ItemKey("q", "same"), [:]), when: [.absent]),
                        .put(Item(key, [:]), when: []),
                    ])
                case 2:
                    // The second counter cannot be added to, so the first is undone.
                    _ = try store.read(
                        [],
                        counting: [key, counter].map {
                            CounterIncrement($0, expiresAt: Instant(seconds: 1 << 40))
                        })
                default: try store.put("q", "s\(index)")
                }
            }
            // Calls of expectEqual here crash the compiler (6.3).
            #expect(failures[0...1].count { $0 == .conditionFailed } == 1)
            #expect(failures[0...1].count { $0 == nil } == 1)
            guard case .unreadable = failures[2] else {
                Issue.record("\(String(describing: failures[2]))")
                return
            }
            #expect(failures[3...].allSatisfy { $0 == nil })
            let winner = failures[0] == nil ? "s0" : "s1"
            #expect(
                try store.sorts("q")
                    == utf8("s3", "s4", "s5", "s6", "s7", "same", winner).sorted(by: precedes))
            // The commit of the lock's holder, and the commits of the others: a single one if all
            // were in time.
            #expect(try Self.commits(in: path) - before <= 4)
        }
    }

    /// Each write captures an object, of which the test keeps a weak reference.
    @Test func `a committed write is not retained`() throws {
        let held = Held()
        try withHeldStore(holding: held) { store, _, run in
            let failures = try run { try store.put("q", "s\($0)") }
            #expect(failures.allSatisfy { $0 == nil })
            #expect(held.value != nil)
        }
        // The threads have reported their results, and end soon.
        for _ in 0..<2_000 where held.value != nil { usleep(5_000) }
        #expect(held.value == nil)
    }

    private final class Held: Sendable {
        private struct Reference: @unchecked Sendable { weak var value: AnyObject? }
        private let reference = Mutex(Reference())

        var value: AnyObject? { reference.withLock { $0.value } }

        func make() -> Seen {
            let seen = Seen()
            reference.withLock { $0.value = seen }
            return seen
        }
    }

    private final class Seen: Sendable { func see() {} }

    @Test func `reads continue while a thread writes`() throws {
        try withStoreFile { path in
            let reader = Mutex<SQLiteStore?>(nil)
            let store = try SQLiteStore(
                path: path,
                clock: WallClock {
                    if let store = reader.withLock({ $0.take() }) {
                        #expect(throws: Never.self) { try store.get(ItemKey("p", "old")) != nil }
                        #expect(throws: Never.self) { try store.sorts("p") == utf8("old") }
                    }
                    return Instant(seconds: 1)
                })
            try store.put("p", "old")
            reader.withLock { $0 = store }
            try store.put("p", "new")
            try expectEqual(store.sorts("p"), utf8("new", "old"))
        }
    }

    @Test func `a commit that fails is a failure of all its writes`() throws {
        try withStoreFile { path in
            let (held, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let blocker = try SQLiteStore(
                path: path,
                clock: .first {
                    for _ in 1..<Self.threads { held.signal() }
                    for _ in 1..<Self.threads { ended.wait() }
                })
            let store = try SQLiteStore(path: path, clock: .system, lockWaitMillisecondsMax: 20)
            let failures = try onThreads(Self.threads) { index in
                if index == 0 {
                    try blocker.put("p", "blocker")
                    return StoreFailure?.none
                }
                held.wait()
                defer { ended.signal() }
                return Self.failure { try store.put("p", "s\(index)") }
            }
            expectEqual(
                failures.count {
                    if case .unavailable(let detail) = $0 {
                        detail.contains("locked")
                    } else {
                        false
                    }
                }, Self.threads - 1)
            try expectEqual(store.sorts("p"), utf8("blocker"))
        }
    }

    /// Calls `body` with a store, its file and a function that makes each thread's write while
    /// another thread holds the lock, and returns their failures.
    private func withHeldStore(
        holding held: Held = Held(),
        _ body: (
            SQLiteStore, String,
            (@escaping @Sendable (Int) throws -> Void) throws -> [StoreFailure?]
        ) throws -> Void
    ) throws {
        try withStoreFile { path in
            let holds = Mutex(false)
            let begun = DispatchSemaphore(value: 0)
            let store = try SQLiteStore(
                path: path,
                clock: WallClock { [seen = held.make()] in
                    seen.see()
                    if holds.withLock({ holds in
                        defer { holds = false }
                        return holds
                    }) {
                        for _ in 0..<Self.threads { begun.wait() }
                        // They have begun, and now wait.
                        usleep(100_000)
                    }
                    return Instant(seconds: 1)
                })
            try body(store, path) { write in
                holds.withLock { $0 = true }
                let failures = try onThreads(Self.threads + 1) { index in
                    if index == Self.threads {
                        try store.put("p", "holder")
                        return StoreFailure?.none
                    }
                    while holds.withLock({ $0 }) { usleep(1000) }
                    begun.signal()
                    return Self.failure { try write(index) }
                }
                return Array(failures.dropLast())
            }
        }
    }

    private static func failure(_ body: () throws -> Void) -> StoreFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreFailure
        }
    }

    /// The frames of the write-ahead log that end a transaction
    /// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
    private static func commits(in path: String) throws -> Int {
        let log = [UInt8](try Data(contentsOf: URL(filePath: path + "-wal")))
        let (header, frameHeader) = (32, 24)
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let frames = stride(from: header, to: log.count, by: frameHeader + pageSize)
        return frames.count { log[($0 + 4)..<($0 + 8)].contains { $0 != 0 } }
    }

    private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }
}
