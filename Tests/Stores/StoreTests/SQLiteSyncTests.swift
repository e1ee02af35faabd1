import Foundation
import SQLiteStore

/// A commit and its sync are two steps: while the disk syncs, writes that need no sync are
/// committed, and writes that need one are collected.
@Suite("SQLite: syncs", .hangLimit)
struct SQLiteSyncTests {
    @Test func `while the log is synced, counters are committed and writes are collected`() throws {
        let (began, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Atomic<Int>(0)
        try withStore { file in
            if count.add(1, ordering: .relaxed).newValue == 1 {
                began.signal()
                ends.wait()
            }
            return fdatasync(file)
        } _: { store, _ in
            let first = Finished { try store.put("p", "first") }
            began.wait()
            let others = (0..<4).map { index in Finished { try store.put("p", "other\(index)") } }
            for number in 1...3 {
                let counted = try store.read(
                    [],
                    counting: [
                        CounterIncrement(
                            ItemKey("count", "c"), expiresAt: Instant(seconds: 1 << 40))
                    ])
                expectEqual(counted.sums, [Int64(number)])
            }
            // The write is committed, as readers see, and is not acknowledged.
            try expectEqual(store.sorts("p"), utf8("first"))
            #expect(!first.isFinished)
            #expect(others.allSatisfy { !$0.isFinished })
            expectEqual(count.load(ordering: .relaxed), 1)
            // The threads run, but may not have come to the store.
            usleep(100_000)
            ends.signal()
            for write in [first] + others { try write.wait() }
            try expectEqual(store.sorts("p").count, 5)
            // There is one sync for all writes that were in time.
            #expect(count.load(ordering: .relaxed) <= 3)
        }
    }

    @Test func `an acknowledged write was committed before a sync began`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/store.db"
            let reader = try SQLiteStore(path: path, clock: .system)
            let synced = Mutex<Set<[UInt8]>>([])
            let store = try SQLiteStore(path: path, clock: .system) { file in
                let committed = (try? reader.sorts("p")) ?? []
                usleep(500)
                synced.withLock { $0.formUnion(committed) }
                return fdatasync(file)
            }
            _ = try onThreads(8) { thread in
                for number in 0..<25 {
                    let sort = "s\(thread)-\(number)"
                    try store.put("p", sort)
                    #expect(synced.withLock { $0.contains(Array(sort.utf8)) })
                }
            }
            expectEqual(synced.withLock(\.count), 200)
        }
    }

    // The kernel may drop what it could not write, and would not report it again.
    @Test func `after a failed sync nothing more is acknowledged`() throws {
        let fails = Atomic<Bool>(false)
        try withStore { file in
            guard fails.load(ordering: .relaxed) else { return fdatasync(file) }
            errno = EIO
            return -1
        } _: { store, path in
            try store.put("p", "before")
            fails.store(true, ordering: .relaxed)
            #expect(throws: Self.failure(path)) { try store.put("p", "failing") }
            fails.store(false, ordering: .relaxed)
            #expect(throws: Self.failure(path)) { try store.put("p", "after") }
            try expectEqual(store.sorts("p"), utf8("before", "failing"))
            let restarted = try SQLiteStore(path: path, clock: .system)
            try restarted.put("p", "restarted")
            try expectEqual(restarted.sorts("p"), utf8("before", "failing", "restarted"))
        }
    }

    private static func failure(_ path: String) -> StoreFailure {
        .unavailable(
            detail: "sqlite:\(path)-wal: cannot be synced; restart the server: Input/output error")
    }

    @Test func `an interrupted sync is repeated`() throws {
        let count = Atomic<Int>(0)
        try withStore { file in
            if count.add(1, ordering: .relaxed).newValue == 1 {
                errno = EINTR
                return -1
            }
            return fdatasync(file)
        } _: { store, _ in
            try store.put("p", "s")
            expectEqual(count.load(ordering: .relaxed), 2)
        }
    }

    // SQLite opens the log beside the file that the link names.
    @Test func `the log of a linked file is synced`() throws {
        try withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/data", withIntermediateDirectories: false)
            let (file, link) = (folder + "/data/store.db", folder + "/link.db")
            try SQLiteStore(path: file, clock: .system).put("p", "first")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            let store = try SQLiteStore(path: link, clock: .system)
            try store.put("p", "second")
            #expect(FileManager.default.fileExists(atPath: file + "-wal"))
            try expectEqual(store.sorts("p"), utf8("first", "second"))
        }
    }

    /// A checkpoint is due after 4,000 pages. Without one to the very end the log would only grow.
    @Test func `the log restarts after threads have written much`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/store.db"
            // Nothing is synced: this is about the length.
            let store = try SQLiteStore(path: path, clock: .system) { _ in 0 }
            /// How often, from the log's header (https://sqlite.org/fileformat2.html#walformat).
            func beginnings() throws -> Data? {
                let log = try #require(FileHandle(forReadingAtPath: path + "-wal"))
                return try log.read(upToCount: 16)?.dropFirst(12)
            }
            try store.put("p", "first")
            let before = try beginnings()
            _ = try onThreads(4) { thread in
                for number in 0..<1_500 {
                    // SQLite writes no page without a change.
                    let text = String(repeating: "\(number)", count: 750)
                    let key = ItemKey("p\(thread)", "s\(number % 50)")
                    try store.write([.put(Item(key, ["t": .text(text)]), when: [])])
                }
            }
            // At most: the checkpoint, its end, and the commit that begins anew.
            for number in 0..<4 { try store.put("p", "last\(number)") }
            #expect(try beginnings() != before)
        }
    }

    private func withStore(
        syncing sync: @escaping @Sendable (Int32) -> Int32,
        _ body: (SQLiteStore, String) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/store.db"
            try body(try SQLiteStore(path: path, clock: .system, sync: sync), path)
        }
    }

    /// A thread of its own, because it waits.
    private final class Finished: Sendable {
        private let ended = DispatchSemaphore(value: 0)
        private let outcome = Mutex<Result<Void, any Error>?>(nil)

        init(_ body: @escaping @Sendable () throws -> Void) {
            let began = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                began.signal()
                let result = Result { try body() }
                outcome.withLock { $0 = result }
                ended.signal()
            }
            began.wait()
        }

        var isFinished: Bool { outcome.withLock { $0 != nil } }

        func wait() throws {
            ended.wait()
            try outcome.withLock { try $0?.get() }
        }
    }
}
