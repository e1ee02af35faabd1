internal import AWSClients
internal import AuthDomain
internal import AuthOperations
internal import Time

/// Erases a user's prefix of the bucket.
struct StorageErasure: Sendable {
    let sessions: StorageSessions

    /// - Returns: false if `end` was reached first.
    func erase(_ user: UserID, until end: Instant) throws(ErasureFailure) -> Bool {
        let place = sessions.place
        guard let prefix = StoragePrefix(template: place.prefixTemplate, user: user.text) else {
            throw .refused
        }
        let s3 = try sessions.client(
            for: user,
            StoragePolicy(erasing: prefix, bucket: place.bucket, partition: place.partition))
        do throws(AWSFailure) {
            // Uploads are aborted first: if one completes before it is aborted, it is deleted as an
            // object afterwards.
            while true {
                let uploads = try s3.listUploads(prefix: prefix.text)
                guard !uploads.isEmpty else { break }
                for upload in uploads {
                    guard sessions.ports.clock.now() < end else { return false }
                    try s3.abort(upload)
                }
            }
            while true {
                let keys = try s3.listObjects(prefix: prefix.text)
                guard !keys.isEmpty else { return true }
                guard sessions.ports.clock.now() < end else { return false }
                try s3.deleteObjects(keys)
            }
        } catch {
            throw error.isTransient ? .unavailable : .refused
        }
    }
}
