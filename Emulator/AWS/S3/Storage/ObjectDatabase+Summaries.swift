internal import HTTP
internal import SQLite
internal import Time

extension ObjectDatabase {
    func size(ofBucket name: String) throws(ObjectStoreFailure) -> (objects: Int64, bytes: Int64) {
        var size = (objects: Int64(0), bytes: Int64(0))
        try run(.bucketSize, .bytes(Array(name.utf8))) { row throws(SQLiteError) in
            size = (try row.integer(0), try row.integer(1))
        }
        return size
    }

    func summaries(
        _ bucket: String, from lower: [UInt8], to upper: [UInt8], rowsMax: Int
    ) throws(ObjectStoreFailure) -> [ObjectSummary] {
        var summaries: [ObjectSummary] = []
        try run(
            .summaries, .bytes(Array(bucket.utf8)), .bytes(lower), .bytes(upper),
            .integer(Int64(rowsMax))
        ) { row throws(SQLiteError) in
            summaries.append(
                ObjectSummary(
                    key: String(decoding: try row.blob(0), as: UTF8.self),
                    byteCount: try row.integer(1),
                    etag: String(decoding: try row.blob(2), as: UTF8.self),
                    contentType: RowCodec.headers(try row.blob(4)).value("content-type"),
                    modifiedAt: Instant(milliseconds: try row.integer(3))))
        }
        return summaries
    }
}
