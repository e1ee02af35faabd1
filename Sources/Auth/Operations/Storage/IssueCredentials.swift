package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Issues short-lived credentials for the signed-in user's own prefix of the bucket, and for
/// nothing else.
package struct IssueCredentials: Sendable {
    /// The minimum that STS accepts.
    package static let secondsMin: Int64 = 900
    /// A function's role is itself assumed, and role chaining is limited to one hour.
    package static let secondsMax: Int64 = 3600

    let auth: AuthServices

    /// A client may request less than its whole prefix, never more.
    package struct Input: Equatable, Sendable {
        package var access: StoragePolicy.Access = .readwrite
        package var prefix: String?
        package var durationSeconds: Int64?

        package init() {}
    }

    package func callAsFunction(
        _ input: Input, _ principal: Principal, _ caller: Caller
    ) throws(AuthError) -> StorageCredentials {
        if principal.user.isGuest, !(auth.policy.guests?.allowsStorage ?? false) {
            throw .account(.guest)
        }
        var audit = auth.audit(.account(principal.user.id), principal.auditHead)
        let credentials = try issue(
            to: principal.user, session: principal.session.id, input, &audit, caller)
        guard try auth.commit([], &audit) else { throw .unavailable(.contention) }
        return credentials
    }

    /// Sign-in also uses this function, and writes the audit record with its own changes.
    func issue(
        to user: User, session: SessionID?, _ input: Input, _ audit: inout AuditTrail,
        _ caller: Caller
    ) throws(AuthError) -> StorageCredentials {
        let place = try auth.storage.place
        // 1. Determine the user's own prefix, or a part of it.
        guard let own = StoragePrefix(template: place.prefixTemplate, user: user.id.text),
            let prefix = input.prefix.map({ own.narrowed(to: $0) }) ?? own
        else { throw .storage(.prefixRefused) }

        // 2. Limit the duration to an hour.
        let seconds = input.durationSeconds ?? Self.secondsMax
        guard (Self.secondsMin...Self.secondsMax).contains(seconds) else {
            throw .storage(.durationRefused)
        }

        // 3. Create a session policy for that prefix, within STS's size limit.
        let policy = StoragePolicy(
            bucket: place.bucket, partition: place.partition, prefix: prefix,
            access: input.access)
        guard policy.isWithinLimit else { throw .storage(.policyTooLarge) }

        // 4. Get credentials restricted by that policy.
        let now = auth.clock.now()
        let grant = StorageGrant(user: user.id.text, policy: policy, lifetime: .seconds(seconds))
        let keys = try assume(grant, now)
        audit.record(.credentialsIssued, session: session, caller, at: now)
        return StorageCredentials(keys: keys, place: place, prefix: prefix)
    }

    private func assume(
        _ grant: StorageGrant, _ now: Instant
    ) throws(AuthError) -> StorageKeys {
        let broker = try auth.storage.broker
        do {
            return try broker.assume(grant, now)
        } catch {
            switch error {
            case .policyTooLarge: throw .storage(.policyTooLarge)
            case .refused: throw .storage(.refused)
            case .unavailable: throw .unavailable(.storageCredentials)
            }
        }
    }
}

extension AuthServices {
    package var credentials: IssueCredentials { IssueCredentials(auth: self) }
}

extension AuthOperation {
    package static let credentials = AuthOperation("credentials", audited: .caller)
}

/// The bucket, and the issuer of its credentials.
package struct StorageServices: Sendable {
    package let place: StoragePlace
    package let broker: StorageBroker

    package init(place: StoragePlace, broker: StorageBroker) {
        self.place = place
        self.broker = broker
    }
}

/// The location of users' objects.
package struct StoragePlace: Equatable, Sendable {
    package let bucket: BucketName
    package let region: String
    /// `aws`, `aws-cn` or `aws-us-gov`.
    package let partition: String
    /// Contains the segment `{userId}`.
    package let prefixTemplate: String
    /// The endpoint of S3, if it is not AWS's.
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
