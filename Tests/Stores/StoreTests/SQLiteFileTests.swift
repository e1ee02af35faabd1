import Foundation
import SQLiteStore

@Suite("SQLite: the file")
struct SQLiteFileTests {
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

    private func open(_ path: String) throws(StoreFailure) -> SQLiteStore {
        try SQLiteStore(path: path, clock: .system)
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
