package import AWSClients
package import AuthOperations
internal import Bytes
package import Cryptography
internal import JOSE
internal import JSON
internal import Time

/// Storage credentials from STS: a session of one role, restricted by the policy and tagged with
/// the user, so that a bucket policy can distinguish users too.
package struct AssumedRole: Sendable {
    /// The session tag, for `${aws:PrincipalTag/uid}`.
    package static let userTag = "uid"
    /// The tag with the source of a session that copies another user's objects to this user.
    package static let sourceTag = "source"

    package enum Proof: Sendable {
        /// The call is signed with this function's own AWS credentials.
        case ownCredentials(externalID: String?)
        /// The call contains a token that this deployment signed: STS trusts it as an OpenID
        /// provider.
        case webIdentity(WebIdentityTokens)
    }

    private let sts: STSClient
    private let roleARN: String
    private let proof: Proof

    package init(sts: STSClient, roleARN: String, proof: Proof) {
        self.sts = sts
        self.roleARN = roleARN
        self.proof = proof
    }

    package var broker: StorageBroker {
        StorageBroker { grant, now throws(StorageFailure) in try self.assume(grant, now) }
    }

    private func assume(
        _ grant: StorageGrant, _ now: Instant
    ) throws(StorageFailure) -> StorageKeys {
        let role = RoleRequest(
            roleARN: roleARN, sessionName: grant.user, durationSeconds: grant.lifetime.seconds,
            policy: grant.policy.text)
        let tags =
            [(Self.userTag, grant.user)] + (grant.source.map { [(Self.sourceTag, $0)] } ?? [])
        let keys: RoleCredentials
        switch proof {
        case .ownCredentials(let externalID):
            keys = try answered { () throws(STSFailure) in
                try sts.assumeRole(role, tags: tags, externalID: externalID)
            }
        case .webIdentity(let tokens):
            guard let token = tokens.token(for: grant.user, tags, at: now) else { throw .refused }
            keys = try answered { () throws(STSFailure) in
                try sts.assumeRoleWithWebIdentity(role, token: token)
            }
        }
        return StorageKeys(
            accessKeyID: keys.accessKeyID, secretAccessKey: keys.secretAccessKey,
            sessionToken: keys.sessionToken, expiresAt: keys.expiresAt)
    }

    private func answered(
        _ call: () throws(STSFailure) -> RoleCredentials
    ) throws(StorageFailure) -> RoleCredentials {
        do {
            return try call()
        } catch {
            throw StorageFailure(error)
        }
    }
}

/// Tokens that identify a user to STS. They are only for STS: `typ` and audience differ from an
/// access token's (RFC 8725 section 3.12).
package struct WebIdentityTokens: Sendable {
    package static let audience = "sts.amazonaws.com"
    static let lifetime = Span.minutes(5)

    private let keys: SigningKeys
    private let issuer: String
    private let random: RandomSource

    package init(keys: SigningKeys, issuer: String, random: RandomSource) {
        self.keys = keys
        self.issuer = issuer
        self.random = random
    }

    func token(
        for user: String, _ tags: [(key: String, value: String)], at now: Instant
    ) -> SecretBytes? {
        var principalTags: JSONObject = [:]
        for tag in tags { principalTags[tag.key] = [.string(tag.value)] }
        let claims: JSONObject = [
            "iss": .string(issuer),
            "aud": .string(Self.audience),
            "sub": .string(user),
            "iat": .number(now.seconds),
            "exp": .number((now + Self.lifetime).seconds),
            "jti": .string(Base64URL.encode(random.bytes(16))),
            "https://aws.amazon.com/tags": [
                "principal_tags": .object(principalTags)
            ],
        ]
        // STS verifies the token with the published key set. The set does not contain a shared
        // secret, and a header must not publish the thumbprint of one.
        guard let key = try? keys.signingKey(at: now), key.algorithm != .hs256,
            let token = try? JWT.sign(claims, with: key, type: "JWT", includesKeyID: true)
        else { return nil }
        return SecretBytes(utf8: token)
    }
}

extension StorageFailure {
    /// Reduces an error of STS to the three cases to which a client can react.
    init(_ failure: STSFailure) {
        switch failure {
        case .packedPolicyTooLarge: self = .policyTooLarge
        case .accessDenied, .expiredToken, .invalidIdentityToken, .malformedPolicy,
            .regionDisabled, .validation, .identityProviderRejected,
            .credentials(.missing), .credentials(.invalid), .credentials(.expired):
            self = .refused
        case .throttled, .identityProviderUnreachable, .unavailable, .credentials(.unavailable):
            self = .unavailable
        }
    }
}
