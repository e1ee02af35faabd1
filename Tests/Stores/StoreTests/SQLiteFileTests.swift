import AuthTestSupport
import Foundation
import SQLiteStore
import TestSupport

@Suite("SQLite: the file")
struct SQLiteFileTests {
    @Test func `items are available to the next process`() throws {
        try withStoreFile { path in
            let item = Item(
                ItemKey("p", "s"), ["v": .text("x")], expiresAt: Instant(seconds: 1 << 40))
            try open(path).write([.put(item, when: [])])
            try expectEqual(open(path).get(item.key), item)
        }
    }

    @Test func `the database's files are only accessible to their owner`() throws {
        try withStoreFile { path in
            let store = try open(path)
            try store.put("p", "s")
            for suffix in ["", "-wal", "-shm", "-lock"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
                expectEqual(attributes[.posixPermissions] as? Int, 0o600, "\(suffix)")
            }
            _ = store
        }
    }

    @Test func `closing checkpoints the log into the file`() throws {
        try withStoreFile { path in
            try open(path).put("p", "s")
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test(arguments: ["a b.db", "?mode=ro", "#%41.db", "file:x?mode=memory", ":memory:", "é.db"])
    func `file names have no special meaning`(name: String) throws {
        try withTemporaryDirectory { directory in
            try open(directory + "/" + name).put("p", "s")
            #expect(FileManager.default.fileExists(atPath: directory + "/" + name))
            try expectEqual(open(directory + "/" + name).sorts("p"), utf8("s"))
        }
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `an invalid path is refused`(path: String) {
        expectInvalid("is not the path of a file") {
            _ = try SQLiteStore(path: path, clock: .system)
        }
    }

    @Test func `a missing directory and a directory in its place are reported`() throws {
        try withTemporaryDirectory { directory in
            for path in [directory + "/missing/store.db", directory] {
                expectInvalid("sqlite:\(path): cannot be opened") { _ = try open(path) }
            }
        }
    }

    @Test func `a file that is not a database is refused and unchanged`() throws {
        try withStoreFile { path in
            let text = Data(String(repeating: "not a database\n", count: 500).utf8)
            try text.write(to: URL(filePath: path))
            expectInvalid("not an SQLite database") { _ = try open(path) }
            try expectEqual(Data(contentsOf: URL(filePath: path)), text)
        }
    }

    // `user_version` is at byte 60 of the file, big-endian (SQLite file format, 1.3).
    @Test(arguments: [
        (UInt8(0), "not one of Latchkey's"), (3, "schema version 3"), (200, "schema version 200"),
    ])
    func `a database of another program or a newer version is refused and unchanged`(
        version: UInt8, message: String
    ) throws {
        try withStoreFile { path in
            try open(path).put("p", "s")
            try patch(path, at: 60, with: [0, 0, 0, version])
            let before = try Data(contentsOf: URL(filePath: path))
            expectInvalid(message) { _ = try open(path) }
            try expectEqual(Data(contentsOf: URL(filePath: path)), before)
        }
    }

    @Test func `a damaged page is reported without its contents`() throws {
        try withStoreFile { path in
            do {
                let store = try open(path)
                let value = Attribute.bytes([UInt8](repeating: 1, count: 1000))
                for index in 0..<100 { try store.put("secret", "s\(index)", ["v": value]) }
            }
            let size = try Data(contentsOf: URL(filePath: path)).count
            for page in stride(from: 4096, to: size, by: 4096) {
                try patch(path, at: page, with: [UInt8](repeating: 0xEE, count: 200))
            }
            let store = try open(path)
            expectInvalid("sqlite:\(path): the file is damaged") { _ = try store.sorts("secret") }
            expectInvalid("sqlite:\(path): the file is damaged") { try store.put("secret", "t") }
        }
    }

    private func open(_ path: String) throws(StoreFailure) -> SQLiteStore {
        try SQLiteStore(path: path, clock: .system)
    }

    private func withStoreFile(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { try body($0 + "/store.db") }
    }

    private func patch(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func expectInvalid(
        _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let failure = #expect(
            throws: StoreFailure.self, sourceLocation: sourceLocation, performing: body)
        switch failure {
        case .refused(let detail), .unreadable(let detail):
            #expect(detail.contains(message), sourceLocation: sourceLocation)
            #expect(!detail.contains("secret"), sourceLocation: sourceLocation)
        case .conditionFailed, .unavailable, nil:
            Issue.record("\(String(describing: failure))", sourceLocation: sourceLocation)
        }
    }
}
