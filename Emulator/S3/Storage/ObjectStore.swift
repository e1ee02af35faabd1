internal import HTTP
internal import SQLite
internal import Synchronization
internal import Time

/// Buckets and objects, in a directory or in memory. What a call has returned from is kept, also
/// when the process is killed the moment after.
package final class ObjectStore: Sendable {
    /// Larger contents go to files: a database of small pages is the wrong place for them.
    static let inlineBytesMax = 64 << 10
    /// How often a read starts again because the object was replaced under it.
    private static let readAttemptsMax = 100

    private let database: Mutex<Database>
    /// nil in memory, where every content is a row.
    private let files: ContentFiles?

    /// nil for a store that ends with the process.
    package init(directory: String?) throws(StorageFailure) {
        files = try directory.map { directory throws(StorageFailure) in
            try ContentFiles(directory: directory + "/s3-content")
        }
        database = Mutex(try Database(file: directory.map { $0 + "/s3.sqlite" }))
        try removeLooseFiles()
    }

    // A file that was written and never used, or let go of and not yet removed: the process ended
    // in between.
    private func removeLooseFiles() throws(StorageFailure) {
        let loose = try database.withLock { database throws(StorageFailure) in
            var loose: [Int64] = []
            try database.run(.looseContents) { row throws(SQLiteError) in
                loose.append(try row.integer(0))
            }
            return loose
        }
        try remove(loose)
    }

    private func remove(_ released: [Int64]) throws(StorageFailure) {
        guard let files, !released.isEmpty else { return }
        for id in released { files.remove(id: id) }
        try database.withLock { database throws(StorageFailure) in
            _ = try database.transaction { () throws(StorageFailure) in
                for id in released { try database.run(.deleteContent, .integer(id)) }
            }
        }
    }

    func read<Result: Sendable>(
        _ body: (Database) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        try database.withLock { database throws(StorageFailure) in try body(database) }
    }

    /// One transaction; afterwards the files that it let go of are removed.
    func write<Result: Sendable>(
        _ body: (Database) throws(StorageFailure) -> Result
    ) throws(StorageFailure) -> Result {
        let (result, released) = try database.withLock { database throws(StorageFailure) in
            try database.transaction { () throws(StorageFailure) in try body(database) }
        }
        try remove(released)
        return result
    }

    /// Stores bytes beside the database where they are large, and then has `body` use them in a
    /// transaction. Where `body` does not, or fails, they are removed again.
    func write<Result: Sendable>(
        content bytes: [UInt8],
        _ body: (Database, [Segment]) throws(StorageFailure) -> (Result, isUsed: Bool)
    ) throws(StorageFailure) -> Result {
        guard let files, bytes.count > Self.inlineBytesMax else {
            return try write { database throws(StorageFailure) in
                // Added last: what `body` lets go of makes room for it, so that an object that
                // replaces another dirties its pages and not as many more.
                let id = database.reserveContent()
                let (result, isUsed) = try body(
                    database,
                    bytes.isEmpty ? [] : [Segment(content: id, byteCount: bytes.count)])
                if isUsed, !bytes.isEmpty { try database.addContent(bytes, as: id) }
                return result
            }
        }
        let id = try write { database throws(StorageFailure) in
            let id = database.reserveContent()
            try database.addContent(nil, as: id)
            return id
        }
        do throws(StorageFailure) {
            try files.write(bytes, id: id)
            let (result, isUsed) = try write { database throws(StorageFailure) in
                let segments = [Segment(content: id, byteCount: bytes.count)]
                let (result, isUsed) = try body(database, segments)
                if isUsed { try database.adopt(id) }
                return (result, isUsed)
            }
            if !isUsed { try remove([id]) }
            return result
        } catch {
            try remove([id])
            throw error
        }
    }

    /// The bytes of `range` of the object that `find` finds; `find` is asked again when its
    /// object is replaced before its file is open.
    func bytes<Found: Sendable>(
        _ find: (Database) throws(StorageFailure) -> (
            found: Found, segments: [Segment], range: Range<Int>
        )?
    ) throws(StorageFailure) -> (found: Found, bytes: [UInt8])? {
        for _ in 0..<Self.readAttemptsMax {
            let step = try database.withLock {
                database throws(StorageFailure) -> ReadStep<Found>? in
                guard let (found, segments, range) = try find(database) else { return nil }
                return ReadStep(
                    found: found, pieces: try Self.pieces(segments, range, in: database))
            }
            guard let step else { return nil }
            if let bytes = try joined(step.pieces) { return (step.found, bytes) }
        }
        throw .damaged
    }

    private struct ReadStep<Found: Sendable>: Sendable {
        let found: Found
        let pieces: [Piece]
    }

    private enum Piece: Sendable {
        case bytes([UInt8])
        case file(Int64, Range<Int>)
    }

    private static func pieces(
        _ segments: [Segment], _ range: Range<Int>, in database: Database
    ) throws(StorageFailure) -> [Piece] {
        var pieces: [Piece] = []
        var start = 0
        for segment in segments {
            let end = start + segment.byteCount
            let wanted = range.clamped(to: start..<end)
            if !wanted.isEmpty {
                let inner = (wanted.lowerBound - start)..<(wanted.upperBound - start)
                switch try database.content(segment.content) {
                case .bytes(let bytes):
                    guard bytes.count == segment.byteCount else { throw .damaged }
                    pieces.append(.bytes(inner.count == bytes.count ? bytes : Array(bytes[inner])))
                case .inFile: pieces.append(.file(segment.content, inner))
                case .gone: throw .damaged
                }
            }
            start = end
        }
        return pieces
    }

    /// nil where a file is gone.
    private func joined(_ pieces: [Piece]) throws(StorageFailure) -> [UInt8]? {
        var joined: [UInt8] = []
        for piece in pieces {
            let bytes: [UInt8]
            switch piece {
            case .bytes(let inline): bytes = inline
            case .file(let id, let range):
                guard let read = try files?.read(id: id, range) else { return nil }
                bytes = read
            }
            if joined.isEmpty { joined = bytes } else { joined += bytes }
        }
        return joined
    }
}
