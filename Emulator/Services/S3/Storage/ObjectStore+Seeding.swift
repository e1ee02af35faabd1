package import Time

extension ObjectStore {
    /// Creates a bucket if it does not exist.
    package func ensureBucket(_ name: String, at now: Instant) throws(ObjectStoreFailure) {
        // Checked in a read first, because the first write reads all rows, which would delay the
        // start.
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
}
