internal import HTTP
internal import SQLite
internal import Time

extension ObjectDatabase {
    func upload(
        _ bucket: String, _ key: String, _ id: String
    ) throws(ObjectStoreFailure) -> StoredUpload? {
        var upload: StoredUpload?
        try run(
            .upload, .bytes(Array(bucket.utf8)), .bytes(Array(key.utf8)), .bytes(Array(id.utf8))
        ) { row throws(SQLiteError) in
            upload = StoredUpload(
                id: id, key: key, startedAt: Instant(milliseconds: try row.integer(0)),
                headers: RowCodec.headers(try row.blob(1)))
        }
        return upload
    }

    func uploads(
        _ bucket: String, afterKey key: String, id: String, rowsMax: Int
    ) throws(ObjectStoreFailure) -> [StoredUpload] {
        var uploads: [StoredUpload] = []
        try run(
            .uploads, .bytes(Array(bucket.utf8)), .bytes(Array(key.utf8)), .bytes(Array(id.utf8)),
            .integer(Int64(rowsMax))
        ) { row throws(SQLiteError) in
            uploads.append(
                StoredUpload(
                    id: String(decoding: try row.blob(1), as: UTF8.self),
                    key: String(decoding: try row.blob(0), as: UTF8.self),
                    startedAt: Instant(milliseconds: try row.integer(2)), headers: []))
        }
        return uploads
    }

    func put(_ part: StoredPart, of upload: String) throws(ObjectStoreFailure) {
        var replaced: [Segment] = []
        try run(.part, .bytes(Array(upload.utf8)), .integer(Int64(part.number))) {
            row throws(SQLiteError) in
            replaced = RowCodec.segments(try row.blob(0))
        }
        try run(
            .putPart, .bytes(Array(upload.utf8)), .integer(Int64(part.number)),
            .integer(Int64(part.byteCount)), .bytes(Array(part.etag.utf8)),
            .integer(part.modifiedAt.milliseconds), .bytes(RowCodec.encode(part.checksum)),
            .bytes(RowCodec.encode(part.segments)))
        release(replaced)
    }

    func parts(
        of upload: String, after number: Int, rowsMax: Int
    ) throws(ObjectStoreFailure) -> [StoredPart] {
        var parts: [StoredPart] = []
        try run(
            .parts, .bytes(Array(upload.utf8)), .integer(Int64(number)), .integer(Int64(rowsMax))
        ) { row throws(SQLiteError) in
            parts.append(
                StoredPart(
                    number: Int(try row.integer(0)), byteCount: Int(try row.integer(1)),
                    etag: String(decoding: try row.blob(2), as: UTF8.self),
                    modifiedAt: Instant(milliseconds: try row.integer(3)),
                    checksum: RowCodec.checksum(try row.blob(4)),
                    segments: RowCodec.segments(try row.blob(5))))
        }
        return parts
    }

    /// Deletes an upload, and releases the segments of parts that were not used.
    func end(
        _ upload: StoredUpload, in bucket: String, releasing parts: [StoredPart]
    ) throws(ObjectStoreFailure) {
        for part in parts { release(part.segments) }
        try run(.deleteParts, .bytes(Array(upload.id.utf8)))
        try run(
            .deleteUpload, .bytes(Array(bucket.utf8)), .bytes(Array(upload.key.utf8)),
            .bytes(Array(upload.id.utf8)))
    }
}
