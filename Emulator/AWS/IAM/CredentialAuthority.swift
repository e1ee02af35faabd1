package import AWSSignature
package import Bytes
package import Cryptography
internal import Synchronization
package import Time

/// Why credentials are invalid.
package enum CredentialFailure: Error, Sendable, Equatable {
    case unknownAccessKey
    /// The credentials were not issued by this authority, were issued with another key, or are not
    /// expected.
    case invalidToken
    case expired
}

/// Issues temporary credentials and resolves the credentials of requests for all services.
///
/// A session token contains the session, encrypted with this authority's key; the secret key is
/// derived from the access key ID. Nothing is stored, so restarts lose nothing.
package final class CredentialAuthority: Sendable {
    package static let tokenBytesMax = 96 << 10
    /// The number of cached sessions; decrypting a token takes some 30 µs.
    private static let knownSessionsMax = 1024

    package let directory: IAMDirectory
    package let revocations: Revocations
    private let tokenKey: AESGCMKey
    private let secretKey: SecretBytes
    private let random: RandomSource
    private let known = Mutex<[String: KnownSession]>([:])
    /// Signing keys by day, region and service, cached because deriving one is slow. The keys of
    /// the dictionary are the bytes of access key and scope.
    private let signingKeys = Mutex<[[UInt8]: (secret: SecretBytes, key: SecretBytes)]>([:])
    private static let signingKeysMax = 1024

    private struct KnownSession: Sendable {
        let token: String
        let session: IAMSession
        let secret: SecretBytes
        let sessionPolicies: [PolicyDocument]?
    }

    /// How far this account's clock is ahead of the clients' clocks. Signatures and web identity
    /// tokens are checked against the clients' time, expiry against this account's.
    package let ahead: @Sendable () -> Span

    /// Store `root` if issued credentials should outlive the process; 32 bytes or more.
    package init(
        directory: IAMDirectory, root: SecretBytes, revocations: Revocations = Revocations(),
        random: RandomSource, ahead: @escaping @Sendable () -> Span = { .zero }
    ) throws(CryptoFailure) {
        self.ahead = ahead
        self.directory = directory
        self.revocations = revocations
        self.random = random
        func key(_ purpose: String) -> SecretBytes {
            HKDF.sha256(root, salt: [], info: Array(purpose.utf8), count: AESGCMKey.keyByteCount)
        }
        tokenKey = try AESGCMKey(key("session token"))
        secretKey = key("secret access key")
    }

    package func issue(_ session: IAMSession) throws(CryptoFailure) -> AWSCredentials {
        let id = "ASIA" + IAMUniqueID.text(random.bytes(16))
        let sealed = try tokenKey.seal(
            session.encoded, additional: Array(id.utf8), random: random)
        return AWSCredentials(
            accessKeyID: id, secretAccessKey: secret(of: id),
            sessionToken: SecretBytes(utf8: Base64.encode(sealed)), expiresAt: session.expiresAt)
    }

    private func secret(of id: String) -> SecretBytes {
        let code = HMAC.sha256(Array(id.utf8), key: secretKey)
        // 30 bytes are 40 characters in base64, the length of AWS's secret keys.
        return SecretBytes(utf8: Base64.encode(code.prefix(30)))
    }

    /// The secret that verifies the request's signature, and the caller's identity.
    package func identify(
        _ accessKeyID: String, token: String?, at now: Instant
    ) throws(CredentialFailure) -> (secret: SecretBytes, identity: CallerIdentity) {
        guard let token else {
            guard let key = directory.accessKey(accessKeyID) else { throw .unknownAccessKey }
            return (
                key.secret,
                CallerIdentity(
                    key.owner, account: directory.account, session: nil, isRevoked: false)
            )
        }
        let known = try knownSession(accessKeyID, token)
        // A session has expired at exactly `expiresAt`.
        guard now < known.session.expiresAt else { throw .expired }
        return (known.secret, try identity(of: known, accessKeyID))
    }

    func signingKey(of presented: PresentedSignature, secret: SecretBytes) -> SecretBytes {
        let name = Array("\(presented.accessKeyID)/\(presented.scope.text)".utf8)
        if let found = signingKeys.withLock({ $0[name] }), found.secret == secret {
            return found.key
        }
        let key = presented.scope.key(from: secret)
        signingKeys.withLock { keys in
            if keys.count >= Self.signingKeysMax { keys.removeAll(keepingCapacity: true) }
            keys[name] = (secret, key)
        }
        return key
    }

    private func knownSession(
        _ accessKeyID: String, _ token: String
    ) throws(CredentialFailure) -> KnownSession {
        // IDs issued by this authority are ASCII, so they are safe as dictionary keys.
        guard accessKeyID.utf8.allSatisfy({ $0 < 0x80 }) else { throw .unknownAccessKey }
        guard token.utf8.count <= Self.tokenBytesMax else { throw .invalidToken }
        if let found = known.withLock({ $0[accessKeyID] }), found.token.isSame(as: token) {
            return found
        }
        guard let sealed = Base64.decode(token),
            let opened = try? tokenKey.open(sealed, additional: Array(accessKeyID.utf8)),
            let session = IAMSession(decoding: opened.reveal())
        else { throw accessKeyID.hasPrefix("ASIA") ? .invalidToken : .unknownAccessKey }
        let found = KnownSession(
            token: token, session: session, secret: secret(of: accessKeyID),
            sessionPolicies: try policies(of: session))
        known.withLock { known in
            if known.count >= Self.knownSessionsMax { known.removeAll(keepingCapacity: true) }
            known[accessKeyID] = found
        }
        return found
    }

    private func identity(
        of known: KnownSession, _ accessKeyID: String
    ) throws(CredentialFailure) -> CallerIdentity {
        let isRevoked = revocations.cover(known.session, accessKeyID: accessKeyID)
        if let session = known.session.role {
            // The role may have been deleted in the meantime.
            guard let role = directory.role(session.roleARN) else { throw .invalidToken }
            return CallerIdentity(
                role, session, issuedAt: known.session.issuedAt, account: directory.account,
                sessionPolicies: known.sessionPolicies, isRevoked: isRevoked)
        }
        guard let owner = known.session.ownerAccessKeyID.flatMap(directory.accessKey) else {
            throw .invalidToken
        }
        return CallerIdentity(
            owner.owner, account: directory.account, session: known.session, isRevoked: isRevoked)
    }

    private func policies(of session: IAMSession) throws(CredentialFailure) -> [PolicyDocument]? {
        guard let role = session.role, !(role.policies.isEmpty && role.policyARNs.isEmpty) else {
            return nil
        }
        var policies: [PolicyDocument] = []
        for text in role.policies {
            guard let policy = try? PolicyDocument(parsing: text, as: .identity) else {
                throw .invalidToken
            }
            policies.append(policy)
        }
        return policies + role.policyARNs.compactMap(directory.managedPolicy)
    }
}
