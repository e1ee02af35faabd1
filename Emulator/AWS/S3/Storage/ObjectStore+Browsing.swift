internal import HTTP
package import Time

/// An object without its content.
package struct ObjectSummary: Sendable {
    package let key: String
    package let byteCount: Int64
    package let etag: String
    package let contentType: String?
    package let modifiedAt: Instant
}

package struct BucketSummary: Sendable {
    package let createdAt: Instant
    package let objectCount: Int64
    package let byteCount: Int64
}

extension ObjectStore {
    /// nil if there is no such bucket.
    package func summary(
        ofBucket name: String
    ) throws(ObjectStoreFailure) -> BucketSummary? {
        try read { database throws(ObjectStoreFailure) in
            guard let createdAt = try database.bucketCreatedAt(name) else { return nil }
            let size = try database.size(ofBucket: name)
            return BucketSummary(
                createdAt: createdAt, objectCount: size.objects, byteCount: size.bytes)
        }
    }

    /// Objects whose key begins with `prefix`, in the order of their keys, after a key; nil if
    /// there is no such bucket.
    package func summaries(
        in bucket: String, prefix: String, after key: String?, objectsMax: Int
    ) throws(ObjectStoreFailure) -> [ObjectSummary]? {
        // The next possible key is the key with a zero byte appended. UTF-8 has no byte 0xFF.
        let lower = key.map { Array($0.utf8) + [0] } ?? Array(prefix.utf8)
        let upper = Array(prefix.utf8) + [0xFF]
        return try read { database throws(ObjectStoreFailure) in
            guard try database.bucketCreatedAt(bucket) != nil else { return nil }
            return try database.summaries(bucket, from: lower, to: upper, rowsMax: objectsMax)
        }
    }
}
