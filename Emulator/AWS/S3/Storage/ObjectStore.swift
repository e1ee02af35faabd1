internal import HTTP
internal import SQLite
internal import Synchronization
internal import Time

/// Buckets and objects, in a directory or in memory. Writes are kept even if the process is killed
/// immediately afterwards.
package final class ObjectStore: Sendable {
    private let database: Mutex<ObjectDatabase>
    private let contents: ContentFile

    /// nil keeps everything in memory.
    package init(directory: String?) throws(ObjectStoreFailure) {
        contents = try ContentFile(path: directory.map { $0 + "/s3-content" })
        database = Mutex(try ObjectDatabase(file: directory.map { $0 + "/s3.sqlite" }))
    }

    func read<Result: Sendable>(
        _ body: (ObjectDatabase) throws(ObjectStoreFailure) -> Result
    ) throws(ObjectStoreFailure) -> Result {
        try database.withLock { database throws(ObjectStoreFailure) in try body(database) }
    }

    /// Runs one transaction.
    func write<Result: Sendable>(
        _ body: (ObjectDatabase) throws(ObjectStoreFailure) -> Result
    ) throws(ObjectStoreFailure) -> Result {
        try findBlocks()
        let (result, released) = try database.withLock { database throws(ObjectStoreFailure) in
            try database.transaction { () throws(ObjectStoreFailure) in try body(database) }
        }
        contents.release(released)
        return result
    }

    /// Writes bytes, then runs `body` in a transaction to give them an owner. If it fails, they are
    /// freed again.
    func write<Result: Sendable>(
        content bytes: [UInt8],
        _ body: (ObjectDatabase, [Segment]) throws(ObjectStoreFailure) -> (Result, isUsed: Bool)
    ) throws(ObjectStoreFailure) -> Result {
        try findBlocks()
        let segments = bytes.isEmpty ? [] : [try contents.add(bytes)]
        let (result, isUsed): (Result, Bool)
        do throws(ObjectStoreFailure) {
            (result, isUsed) = try write { database throws(ObjectStoreFailure) in
                try body(database, segments)
            }
        } catch {
            contents.release(segments)
            throw error
        }
        if !isUsed { contents.release(segments) }
        return result
    }

    // This is not done at the start, because it reads the rows of all objects.
    private func findBlocks() throws(ObjectStoreFailure) {
        guard !contents.knowsItsBlocks else { return }
        contents.use(try read { database throws(ObjectStoreFailure) in try database.segments() })
    }

    /// The bytes of `range` of the object that `find` returns.
    func bytes<Found: Sendable>(
        _ find: (ObjectDatabase) throws(ObjectStoreFailure) -> (
            found: Found, segments: [Segment], range: Range<Int>
        )?
    ) throws(ObjectStoreFailure) -> (found: Found, bytes: [UInt8])? {
        try contents.whileReading { () throws(ObjectStoreFailure) in
            guard let (found, segments, range) = try read(find) else { return nil }
            return (found, try contents.read(segments, range))
        }
    }
}
