internal import AWSClients
internal import AWSSignature
internal import AuthDomain
internal import AuthOperations
internal import Time

/// Erases a user's prefix of the bucket, with credentials for that prefix alone, so that a bug here
/// cannot affect another user's objects.
struct StorageErasure: Sendable {
    let place: StoragePlace
    let broker: StorageBroker
    /// Has the bucket's region and endpoint.
    let settings: AWSSettings
    let ports: AWSPorts

    /// The minimum lifetime of STS, longer than any run.
    private static let lifetime = Span.seconds(900)

    /// - Returns: false if `end` was reached first.
    func erase(_ user: UserID, until end: Instant) throws(ErasureFailure) -> Bool {
        guard let prefix = StoragePrefix(template: place.prefixTemplate, user: user.text) else {
            throw .refused
        }
        let s3 = try client(user, prefix)
        do throws(AWSFailure) {
            // Uploads first: one that completes in between is then deleted as an object.
            while true {
                let uploads = try s3.listUploads(prefix: prefix.text)
                guard !uploads.isEmpty else { break }
                for upload in uploads {
                    guard ports.clock.now() < end else { return false }
                    try s3.abort(upload)
                }
            }
            while true {
                let keys = try s3.listObjects(prefix: prefix.text)
                guard !keys.isEmpty else { return true }
                guard ports.clock.now() < end else { return false }
                try s3.deleteObjects(keys)
            }
        } catch {
            throw error.isTransient ? .unavailable : .refused
        }
    }

    private func client(
        _ user: UserID, _ prefix: StoragePrefix
    ) throws(ErasureFailure) -> S3Client {
        let policy = StoragePolicy(
            erasing: prefix, bucket: place.bucket, partition: place.partition)
        let grant = StorageGrant(user: user.text, policy: policy, lifetime: Self.lifetime)
        let keys: StorageKeys
        do throws(StorageFailure) {
            keys = try broker.assume(grant, ports.clock.now())
        } catch {
            throw error == .unavailable ? .unavailable : .refused
        }
        let credentials = AWSCredentials(
            accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey,
            sessionToken: keys.sessionToken, expiresAt: keys.expiresAt)
        return S3Client(
            settings, ports, credentials: .fixed(credentials), bucket: place.bucket.text)
    }
}
