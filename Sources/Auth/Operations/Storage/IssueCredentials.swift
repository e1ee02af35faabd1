internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Gives a signed-in person short-lived keys to their own part of the bucket and to nothing else.
package struct IssueCredentials: Sendable {
    /// STS gives nothing shorter.
    package static let secondsMin: Int64 = 900
    /// A function's role is itself assumed: a chained role lives an hour at most.
    package static let secondsMax: Int64 = 3600

    private let ground: Ground
    private let limiter: RateLimiter
    private let authenticate: Authenticate
    private let place: StoragePlace
    private let broker: StorageBroker

    package init(
        _ ground: Ground, limiter: RateLimiter, authenticate: Authenticate, place: StoragePlace,
        broker: StorageBroker
    ) {
        self.ground = ground
        self.limiter = limiter
        self.authenticate = authenticate
        self.place = place
        self.broker = broker
    }

    /// A caller may ask for less than everything that is theirs, never for more.
    package struct Input: Equatable, Sendable {
        package var access: StoragePolicy.Access = .readwrite
        package var prefix: String?
        package var durationSeconds: Int64?

        package init() {}
    }

    package func callAsFunction(
        _ input: Input, _ context: RequestContext
    ) throws(Problem) -> StorageCredentials {
        let principal = try authenticate(context.bearer)
        try limiter.admit(.credentials, .account, principal.user.id.text)
        let (credentials, audit) = try issue(
            to: principal.user, session: principal.session.id, input, context)
        try stored { () throws(StoreFailure) in try ground.store.write([audit]) }
        return credentials
    }

    /// For whoever is just signing in. The record of it is the caller's to write.
    func issue(
        to user: User, session: SessionID?, _ input: Input, _ context: RequestContext
    ) throws(Problem) -> (StorageCredentials, audit: Write) {
        // 1. Their own prefix, or a part of it.
        guard let own = StoragePrefix(template: place.prefixTemplate, user: user.id.text),
            let prefix = input.prefix.map({ own.narrowed(to: $0) }) ?? own
        else { throw .prefixRefused }

        // 2. No longer than an hour.
        let seconds = input.durationSeconds ?? Self.secondsMax
        guard (Self.secondsMin...Self.secondsMax).contains(seconds) else { throw .durationRefused }

        // 3. A policy that says so, small enough to be taken.
        let policy = StoragePolicy(
            bucket: place.bucket, partition: place.partition, prefix: prefix,
            access: input.access)
        guard policy.isWithinLimit else { throw .policyTooLarge }

        // 4. Keys that cannot do more.
        let now = ground.clock.now()
        let grant = StorageGrant(user: user.id.text, policy: policy, lifetime: .seconds(seconds))
        let keys = try assume(grant, now)
        let audit = AuditRecord.write(
            .credentialsIssued, user: user.id, session: session, address: context.address,
            at: now, random: ground.random)
        return (StorageCredentials(keys: keys, place: place, prefix: prefix), audit)
    }

    private func assume(
        _ grant: StorageGrant, _ now: Instant
    ) throws(Problem) -> StorageKeys {
        do {
            return try broker.assume(grant, now)
        } catch {
            switch error {
            case .policyTooLarge: throw .policyTooLarge
            case .refused: throw .storageRefused
            case .unavailable: throw .unavailable(.storageCredentials)
            }
        }
    }
}

/// Where users' objects are.
package struct StoragePlace: Equatable, Sendable {
    package let bucket: BucketName
    package let region: String
    /// `aws`, `aws-cn` or `aws-us-gov`.
    package let partition: String
    /// With the segment `{userId}` in it.
    package let prefixTemplate: String
    /// Where S3 answers, when that is not where AWS would.
    package let endpoint: String?

    package init(
        bucket: BucketName, region: String, partition: String, prefixTemplate: String,
        endpoint: String?
    ) {
        self.bucket = bucket
        self.region = region
        self.partition = partition
        self.prefixTemplate = prefixTemplate
        self.endpoint = endpoint
    }
}

package struct StorageCredentials: Sendable {
    package let keys: StorageKeys
    package let place: StoragePlace
    package let prefix: StoragePrefix
}
