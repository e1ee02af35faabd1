package import HTTP
package import Time

/// An object with all its metadata, for export and import.
package struct PortableObject: Sendable {
    package let bucket: String
    package let key: String
    package let etag: String
    package let modifiedAt: Instant
    /// Content type, metadata and checksum headers.
    package let headers: [HTTPHeader]
    package let bytes: [UInt8]

    package init(
        bucket: String, key: String, etag: String, modifiedAt: Instant, headers: [HTTPHeader],
        bytes: [UInt8]
    ) {
        self.bucket = bucket
        self.key = key
        self.etag = etag
        self.modifiedAt = modifiedAt
        self.headers = headers
        self.bytes = bytes
    }
}

extension ObjectStore {
    package func bucketNames() throws(ObjectStoreFailure) -> [String] {
        try read { database throws(ObjectStoreFailure) in try database.buckets().map(\.name) }
    }

    /// The first object after `key`; nil if there is none.
    package func object(
        in bucket: String, after key: String?
    ) throws(ObjectStoreFailure) -> PortableObject? {
        // The next possible key is the key with a zero byte appended.
        let lower: [UInt8] = key.map { Array($0.utf8) + [0] } ?? []
        let read = try bytes {
            (database: ObjectDatabase) throws(ObjectStoreFailure) -> (
                found: StoredObject, segments: [Segment], range: Range<Int>
            )? in
            let rows = try database.list(
                bucket, from: lower, to: [UInt8](repeating: 0xFF, count: 8), rowsMax: 1)
            guard let first = rows.first,
                let object = try database.object(
                    bucket, String(decoding: first.key, as: UTF8.self))
            else { return nil }
            return (object, object.segments, 0..<object.byteCount)
        }
        return read.map { PortableObject($0.found, in: bucket, $0.bytes) }
    }

    /// An object with the first bytes of its content; nil if there is no object with that key.
    package func beginning(
        of key: String, in bucket: String, bytesMax: Int
    ) throws(ObjectStoreFailure) -> PortableObject? {
        let read = try bytes {
            (database: ObjectDatabase) throws(ObjectStoreFailure) -> (
                found: StoredObject, segments: [Segment], range: Range<Int>
            )? in
            guard let object = try database.object(bucket, key) else { return nil }
            return (object, object.segments, 0..<min(object.byteCount, bytesMax))
        }
        return read.map { PortableObject($0.found, in: bucket, $0.bytes) }
    }

    /// Stores an object, replacing one with the same key; creates the bucket if necessary.
    package func put(_ object: PortableObject) throws(ObjectStoreFailure) {
        try ensureBucket(object.bucket, at: object.modifiedAt)
        _ = try write(content: object.bytes) { database, segments throws(ObjectStoreFailure) in
            let stored = StoredObject(
                key: object.key, byteCount: object.bytes.count, etag: object.etag,
                modifiedAt: object.modifiedAt, headers: object.headers, segments: segments)
            return (try database.put(stored, in: object.bucket, if: .none), true)
        }
    }

    /// Removes a bucket with all its objects.
    package func removeBucket(_ name: String) throws(ObjectStoreFailure) {
        while let next = try object(in: name, after: nil) {
            try write { database throws(ObjectStoreFailure) in
                _ = try database.delete(name, next.key)
            }
        }
        try write { database throws(ObjectStoreFailure) in try database.deleteBucket(name) }
    }
}

extension PortableObject {
    fileprivate init(_ object: StoredObject, in bucket: String, _ bytes: [UInt8]) {
        self.init(
            bucket: bucket, key: object.key, etag: object.etag, modifiedAt: object.modifiedAt,
            headers: object.headers, bytes: bytes)
    }
}
