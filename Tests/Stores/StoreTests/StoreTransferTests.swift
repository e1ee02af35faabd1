import DynamoDBStore
import Foundation
import PostgreSQLStore
import SQLiteStore
import StoreTransfer
import Threads

extension DynamoDBStore: ScannableStore {}
extension PostgreSQLStore: SnapshotStore {}
extension SQLiteStore: SnapshotStore {}

/// `latchkey export` and `import`, without the processes.
@Suite("Moving a store", .hangLimit)
struct StoreTransferTests {
    private static let start = MovableClock.start

    /// More than a page and a batch, with every kind of value and keys that are hard to order.
    private static let items: [Item] = {
        var items = (0..<230).map { n in
            Item(
                ItemKey("USER#\(n % 7)", "SESSION#\(n)"),
                ["n": .integer(Int64(n)), "text": .text("ü\u{0}\"\\ \(n)"), "yes": .flag(true)],
                expiresAt: n % 3 == 0 ? start + .hours(1) : nil)
        }
        items += ["", "a", "\u{7F}", "é", "e\u{301}", "\u{10FFFF}"].map { sort in
            Item(ItemKey("é", "x\(sort)"), ["bytes": .bytes([0, 255, 10]), "no": .flag(false)])
        }
        items += [
            Item(ItemKey("n", "count"), ["count": .integer(.min)]),
            Item(ItemKey("n", "empty"), [:]),
            Item(ItemKey("n", "large"), ["b": .bytes([UInt8](repeating: 7, count: 300_000))]),
            Item(
                ItemKey("n", "text"), ["count": .text("no counter")],
                expiresAt: .init(milliseconds: .max)),
        ]
        return items
    }()

    private func fill(_ store: any KeyValueStore) throws {
        for start in stride(from: 0, to: Self.items.count, by: 20) {
            try store.write(
                Self.items[start..<min(start + 20, Self.items.count)].map { .put($0, when: []) })
        }
        try store.write([
            .put(Item(ItemKey("gone", "s"), [:], expiresAt: Self.start - .seconds(1)), when: [])
        ])
    }

    private func exported(_ store: any ScannableStore) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let count = try StoreExport(store).run { bytes += $0 }
        expectEqual(count, bytes.count { $0 == 0x0A } - 2)
        return bytes
    }

    private func imported(
        _ bytes: [UInt8], into store: any ScannableStore, continues: Bool = false,
        clock: WallClock = .fixed(at: start + .seconds(2))
    ) throws -> StoreImport.Counts {
        var lines = bytes.split(separator: 0x0A).makeIterator()
        return try StoreImport(into: store, clock: clock, pause: { _ in })
            .run(try ExportReader { lines.next().map(Array.init) }, continues: continues)
    }

    private func with(
        _ backends: [Backend], _ body: ([any ScannableStore]) throws -> Void,
        stores: [any ScannableStore] = []
    ) throws {
        guard let first = backends.first else { return try body(stores) }
        try first.withStore { store, _ throws in
            try with(
                Array(backends.dropFirst()), body,
                stores: stores + [try #require(store as? any ScannableStore)])
        }
    }

    @Test(arguments: [[Backend.sqlite, .postgresql, .emulator], [.postgresql, .moto, .sqlite]])
    func `items are the same after a transfer between stores`(backends: [Backend]) throws {
        try with(backends) { stores in
            try fill(stores[0])
            let first = try exported(stores[0])
            var bytes = first
            for store in stores.dropFirst() {
                let counts = try imported(bytes, into: store)
                expectEqual(counts.written, Self.items.count)
                bytes = try exported(store)
                expectEqual(Self.lines(bytes), Self.lines(first))
            }
            // Back to a store with the order of the keys.
            try with([.sqlite, .postgresql]) { last in
                for store in last {
                    _ = try imported(bytes, into: store)
                    try expectEqual(exported(store), first)
                }
            }
        }
    }

    /// DynamoDB has an order of its own.
    private static func lines(_ bytes: [UInt8]) -> Set<[UInt8]> {
        Set(bytes.split(separator: 0x0A).dropLast().map(Array.init))
    }

    @Test(arguments: [Backend.sqlite, .postgresql, .emulator])
    func `an import needs an empty store, resumes after a failure, and changes nothing`(
        backend: Backend
    ) throws {
        try with([.sqlite, backend]) { stores in
            try fill(stores[0])
            let bytes = try exported(stores[0])
            // The import is cut off after some batches.
            let part = Array(bytes.prefix(bytes.count / 2))
            #expect(throws: TransferFailure.self) { try imported(part, into: stores[1]) }
            #expect(throws: TransferFailure.targetNotEmpty) { try imported(bytes, into: stores[1]) }
            let counts = try imported(bytes, into: stores[1], continues: true)
            #expect(counts.present > 0 && counts.written > 0)
            expectEqual(counts.present + counts.written, Self.items.count)
            try expectEqual(
                imported(bytes, into: stores[1], continues: true), .init(present: Self.items.count))
            // An item that differs is neither replaced nor accepted.
            let other = Item(ItemKey("n", "empty"), ["new": .flag(true)])
            try stores[1].write([.put(other, when: [])])
            #expect(throws: TransferFailure.conflict(other.key)) {
                try imported(bytes, into: stores[1], continues: true)
            }
            try expectEqual(stores[1].get(other.key), other)
        }
    }

    @Test func `items that expire between export and import are skipped`() throws {
        try with([.sqlite, .postgresql]) { stores in
            try fill(stores[0])
            let later = WallClock.fixed(at: Self.start + .hours(1))
            let counts = try imported(try exported(stores[0]), into: stores[1], clock: later)
            expectEqual(counts.expired, 77)
            expectEqual(counts.written, Self.items.count - 77)
        }
    }

    /// Each write changes the first and the last item alike.
    @Test(arguments: [Backend.sqlite, .postgresql])
    func `an export is a consistent snapshot during writes`(backend: Backend) throws {
        try with([backend]) { stores in
            try fill(stores[0])
            let isDone = Atomic(false)
            let store = stores[0]
            let pair = { @Sendable (n: Int64) -> [Write] in
                [ItemKey("!", "first"), ItemKey("\u{10FFFF}", "last")].map {
                    .put(Item($0, ["n": .integer(n)]), when: [])
                }
            }
            try store.write(pair(0))
            let writer = try PosixThread {
                var n: Int64 = 0
                while !isDone.load(ordering: .relaxed) {
                    n += 1
                    try? store.write(pair(n))
                }
            }
            defer {
                isDone.store(true, ordering: .relaxed)
                writer.join()
            }
            var numbers: Set<Substring> = []
            for _ in 0..<20 {
                let text = String(decoding: try exported(store), as: UTF8.self)
                let found = text.split(separator: "\n").filter { $0.contains(#"{"n":{"N":"#) }
                    .filter { $0.contains("first") || $0.contains("last") }
                    .map { $0.split(separator: ":").last ?? "" }
                #expect(found.count == 2 && found[0] == found[1], "\(found)")
                numbers.formUnion(found)
            }
            #expect(numbers.count > 1)
        }
    }

    @Test func `an import into PostgreSQL writes all items or none`() throws {
        try with([.postgresql]) { stores in
            let store = try #require(stores[0] as? PostgreSQLStore)
            var parts = [Array(Self.items[..<100]), Array(Self.items[100...]), []][...]
            expectEqual(try store.fill(replacing: false) { parts.popFirst() }, .filled)
            let bytes = try exported(store)
            expectEqual(bytes.count { $0 == 0x0A } - 2, Self.items.count)
            // Given up, refused, failed.
            var some = [Array(Self.items[..<9])][...]
            expectEqual(try store.fill(replacing: true) { some.popFirst() }, .ended)
            expectEqual(try store.fill(replacing: false) { [] }, .notEmpty)
            #expect(throws: StoreFailure.self) {
                try store.fill(replacing: true) { Array(Self.items[..<9] + Self.items[..<9]) }
            }
            expectEqual(try exported(store), bytes)
            expectEqual(try store.fill(replacing: true) { [] }, .filled)
            try expectEqual(exported(store).count { $0 == 0x0A }, 2)
        }
    }

    @Test func `an export from PostgreSQL has no internal rows`() throws {
        try with([.postgresql]) { stores in
            try fill(stores[0])
            let text = String(decoding: try exported(stores[0]), as: UTF8.self)
            #expect(!text.contains("attempt") && !text.contains("version"))
            // A key that is stored as a hash cannot be exported, which must be reported.
            try stores[0].put(String(repeating: "p", count: 1100), "s")
            #expect(throws: TransferFailure.self) { try exported(stores[0]) }
        }
    }
}
