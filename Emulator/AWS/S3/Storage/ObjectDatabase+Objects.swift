internal import Bytes
internal import HTTP
internal import SQLite
internal import Time

extension ObjectDatabase {
    func bucketCreatedAt(_ name: String) throws(ObjectStoreFailure) -> Instant? {
        var created: Instant?
        try run(.bucket, .bytes(Array(name.utf8))) { row throws(SQLiteError) in
            created = Instant(milliseconds: try row.integer(0))
        }
        return created
    }

    func buckets() throws(ObjectStoreFailure) -> [(name: String, createdAt: Instant)] {
        var buckets: [(name: String, createdAt: Instant)] = []
        try run(.buckets) { row throws(SQLiteError) in
            buckets.append(
                (
                    String(decoding: try row.blob(0), as: UTF8.self),
                    Instant(milliseconds: try row.integer(1))
                ))
        }
        return buckets
    }

    func deleteBucket(_ name: String) throws(ObjectStoreFailure) {
        try setCORS(nil, of: name)
        try run(.deleteBucket, .bytes(Array(name.utf8)))
    }

    /// A document of `CORSDocument`.
    func cors(of bucket: String) throws(ObjectStoreFailure) -> [UInt8]? {
        var document: [UInt8]?
        try run(.cors, .bytes(Array(bucket.utf8))) { row throws(SQLiteError) in
            document = try row.blob(0)
        }
        return document
    }

    func setCORS(_ document: [UInt8]?, of bucket: String) throws(ObjectStoreFailure) {
        let name = Value.bytes(Array(bucket.utf8))
        guard let document else { return try run(.deleteCORS, name) }
        try run(.putCORS, name, .bytes(document))
    }

    func object(_ bucket: String, _ key: String) throws(ObjectStoreFailure) -> StoredObject? {
        var object: StoredObject?
        try run(.object, .bytes(Array(bucket.utf8)), .bytes(Array(key.utf8))) {
            row throws(SQLiteError) in
            object = StoredObject(
                key: key, byteCount: Int(try row.integer(0)),
                etag: String(decoding: try row.blob(1), as: UTF8.self),
                modifiedAt: Instant(milliseconds: try row.integer(2)),
                headers: RowCodec.headers(try row.blob(3)),
                segments: RowCodec.segments(try row.blob(4)))
        }
        return object
    }

    /// Stores the object if the condition holds, and releases the segments of the object that it
    /// replaces.
    func put(
        _ object: StoredObject, in bucket: String, if condition: WriteCondition
    ) throws(ObjectStoreFailure) -> WriteOutcome {
        let current = try self.object(bucket, object.key)
        switch (condition, current) {
        case (.none, _), (.absent, nil): break
        case (.absent, .some): return .conditionFailed
        case (.etag, nil): return .missing
        case (.etag(let wanted), let current?):
            guard wanted == "*" || current.etag.isSame(as: wanted) else { return .conditionFailed }
        }
        try run(
            .putObject, .bytes(Array(bucket.utf8)), .bytes(Array(object.key.utf8)),
            .integer(Int64(object.byteCount)), .bytes(Array(object.etag.utf8)),
            .integer(object.modifiedAt.milliseconds), .bytes(RowCodec.encode(object.headers)),
            .bytes(RowCodec.encode(object.segments)))
        if let current { release(current.segments) }
        return .done
    }

    /// Deletes the object if it has the entity tag `etag`. Returns whether it no longer exists.
    @discardableResult
    func delete(
        _ bucket: String, _ key: String, if etag: String? = nil
    ) throws(ObjectStoreFailure) -> Bool {
        guard let current = try object(bucket, key) else { return true }
        if let etag, !etag.isSame(as: "*"), !current.etag.isSame(as: etag) { return false }
        try run(.deleteObject, .bytes(Array(bucket.utf8)), .bytes(Array(key.utf8)))
        release(current.segments)
        return true
    }

    func list(
        _ bucket: String, from lower: [UInt8], to upper: [UInt8], rowsMax: Int
    ) throws(ObjectStoreFailure) -> [ListedObject] {
        var listed: [ListedObject] = []
        try run(
            .list, .bytes(Array(bucket.utf8)), .bytes(lower), .bytes(upper),
            .integer(Int64(rowsMax))
        ) { row throws(SQLiteError) in
            listed.append(
                ListedObject(
                    key: try row.blob(0), byteCount: try row.integer(1),
                    etag: String(decoding: try row.blob(2), as: UTF8.self),
                    modifiedAt: Instant(milliseconds: try row.integer(3))))
        }
        return listed
    }

    func isEmpty(_ bucket: String) throws(ObjectStoreFailure) -> Bool {
        var isEmpty = true
        try run(.anyObject, .bytes(Array(bucket.utf8))) { _ in isEmpty = false }
        return isEmpty
    }
}
