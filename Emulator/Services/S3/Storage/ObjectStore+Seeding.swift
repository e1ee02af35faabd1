package import Time

extension ObjectStore {
    /// Creates a bucket if it does not exist.
    package func ensureBucket(_ name: String, at now: Instant) throws(ObjectStoreFailure) {
        // Asked apart: the first write looks at every object, and no start is to wait for that.
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
