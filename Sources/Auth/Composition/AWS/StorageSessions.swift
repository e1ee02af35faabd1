internal import AWSClients
internal import AWSSignature
internal import AuthDomain
internal import AuthOperations
internal import Time

/// Clients of the bucket. Their credentials work only for the prefixes of the given users, so that
/// a bug here cannot affect another user's objects.
struct StorageSessions: Sendable {
    let place: StoragePlace
    let broker: StorageBroker
    /// Has the bucket's region and endpoint.
    let settings: AWSSettings
    let ports: AWSPorts

    /// The shortest lifetime that STS allows, which is longer than any run.
    private static let lifetime = Span.seconds(900)

    /// - Parameter source: another user, whose objects the credentials may read too.
    func client(
        for user: UserID, source: UserID? = nil, _ policy: StoragePolicy
    ) throws(ErasureFailure) -> S3Client {
        let grant = StorageGrant(
            user: user.text, source: source?.text, policy: policy, lifetime: Self.lifetime)
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
