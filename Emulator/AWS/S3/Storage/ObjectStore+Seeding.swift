package import Time

extension ObjectStore {
    /// Creates a bucket if it does not exist.
    package func ensureBucket(_ name: String, at now: Instant) throws(ObjectStoreFailure) {
        // This checks with a read first, because the first write reads all rows, which would delay
        // the start.
        let isThere = try read { database throws(ObjectStoreFailure) in
            try database.bucketCreatedAt(name) != nil
        }
        guard !isThere else { return }
        try write { database throws(ObjectStoreFailure) in
            guard try database.bucketCreatedAt(name) == nil else { return }
            try database.run(
                .addBucket, .bytes(Array(name.utf8)), .integer(now.milliseconds))
        }
    }

    /// Sets a bucket's CORS configuration.
    package func setCORS(
        _ rules: [BucketCORSRule], of bucket: String
    ) throws(ObjectStoreFailure) {
        let document = CORSDocument.stored(rules)
        // Usually nothing has changed since the last start.
        let current = try read { database throws(ObjectStoreFailure) in
            try database.cors(of: bucket)
        }
        guard current != document else { return }
        try write { database throws(ObjectStoreFailure) in
            try database.setCORS(document, of: bucket)
        }
    }

    /// The CORS rules of a bucket; empty if it has no CORS configuration.
    package func cors(of bucket: String) throws(ObjectStoreFailure) -> [BucketCORSRule] {
        let document = try read { database throws(ObjectStoreFailure) in
            try database.cors(of: bucket)
        }
        return document.flatMap { try? CORSDocument.rules($0) } ?? []
    }
}

extension BucketCORSRule {
    /// The reason why S3 rejects these rules; nil if they are valid.
    package static func defect(of rules: [BucketCORSRule]) -> String? {
        do throws(S3Failure) {
            try CORSDocument.check(rules)
            return nil
        } catch {
            return error.message
        }
    }
}
