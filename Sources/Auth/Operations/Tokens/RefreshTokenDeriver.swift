package import AuthDomain
internal import Bytes
internal import Cryptography
package import JOSE
internal import JSON
package import Time

/// Computes the refresh token of a session's generation, so that no token is stored and the same
/// successor can be returned again to a client whose response was lost.
///
/// A token contains a MAC (the proof) that depends on the master key and on the session's seed: the
/// key is not in the store, the seed is only there, and neither alone is enough. Forms that contain
/// their session also have a MAC that depends only on the master key (the check), so that a forged
/// token is refused without a read.
package struct RefreshTokenDeriver: Sendable {
    /// The current key first. New tokens are derived from it; tokens of all keys are accepted.
    private let keys: [Keys]
    private let form: RefreshTokenForm
    private let signingKey: SigningKey?

    /// The keys derived from one master key.
    private struct Keys: Sendable {
        let id: [UInt8]
        let proofs: SecretBytes
        let checks: SecretBytes

        init(_ master: MasterKey) {
            id = master.id
            proofs = master.refreshTokens
            checks = master.refreshTokenChecks
        }
    }

    private static let placeBytes = 36
    private static let checkBytes = 8
    private static let proofBytes = 16
    private static let textBytesMax = 2048

    /// - Parameter signingKey: the operator's secret for signing tokens of the form `.jwt`, instead
    ///   of the derived one. It does not suffice to forge a token, because the proof depends on the
    ///   master key.
    package init(_ master: MasterKey, form: RefreshTokenForm, signingKey: SigningKey? = nil) {
        keys = ([master] + master.previous).map { Keys($0) }
        self.form = form
        self.signingKey = signingKey
    }

    /// The ID of the master key from which new tokens are derived.
    package var keyID: [UInt8] { keys[0].id }

    /// The key of the session's current generation. A session without `keyID` was written before
    /// that attribute existed.
    private func keys(of session: Session) -> Keys {
        keys.first { $0.id == session.keyID } ?? keys[0]
    }

    /// The token of the session's current generation.
    package func token(of session: Session) throws(AuthError) -> RefreshToken {
        let keys = keys(of: session)
        let place = RefreshTokenPlace(
            user: session.user, session: session.id, generation: session.generation)
        let proof = proof(place, seed: session.seed, keys)
        switch form {
        case .selfContained(let prefix):
            let named = Self.bytes(place)
            let bytes = named + check(named, prefix, keys) + proof[..<Self.proofBytes]
            return RefreshToken(prefix + Base64URL.encode(bytes))
        case .opaque(let prefix): return RefreshToken(prefix + Base64URL.encode(proof))
        case .uuid: return RefreshToken(UUIDText(bytes: Array(proof[..<16])).text)
        case .jwt(let type): return try signed(session, proof, type: type, keys)
        }
    }

    /// The hash by which the token of the session's current generation is found; nil for forms that
    /// contain their session.
    package func lookupHash(of session: Session) throws(AuthError) -> [UInt8]? {
        switch form {
        case .selfContained, .jwt: nil
        case .opaque, .uuid: SHA256.hash(Array(try token(of: session).reveal().utf8))
        }
    }

    /// Parses a presented token; nil if it is malformed or forged.
    package func read(_ presented: String) -> PresentedRefreshToken? {
        guard presented.utf8.count <= Self.textBytesMax else { return nil }
        switch form {
        case .selfContained(let prefix): return selfContained(presented, prefix)
        case .opaque(let prefix):
            guard Self.decoded(presented, after: prefix)?.count == 32 else { return nil }
            return .stored(hash: SHA256.hash(Array(presented.utf8)))
        case .uuid:
            guard UUIDText(parsing: presented) != nil else { return nil }
            return .stored(hash: SHA256.hash(Array(presented.utf8)))
        case .jwt(let type): return verified(presented, type: type)
        }
    }

    /// Whether a token that contains its session was derived from this session's seed.
    package func isProven(
        _ proof: [UInt8], _ place: RefreshTokenPlace, by session: Session
    ) -> Bool {
        keys.contains { keys in
            let expected = self.proof(place, seed: session.seed, keys)[..<Self.proofBytes]
            return constantTimeEquals(proof, Array(expected))
        }
    }

    // MARK: The parts of a token

    private func proof(_ place: RefreshTokenPlace, seed: [UInt8], _ keys: Keys) -> [UInt8] {
        // A fixed-length encoding, so that different inputs never collide.
        HMAC.sha256(
            Array("latchkey refresh token 2\0".utf8) + Self.bytes(place) + SHA256.hash(seed),
            key: keys.proofs)
    }

    /// Computes the check. It includes the prefix, so that a token of one contract is invalid in
    /// another.
    private func check(_ place: [UInt8], _ prefix: String, _ keys: Keys) -> ArraySlice<UInt8> {
        let message = Array("latchkey refresh token check 1\0\(prefix)\0".utf8) + place
        return HMAC.sha256(message, key: keys.checks)[..<Self.checkBytes]
    }

    private static func decoded(_ presented: String, after prefix: String) -> [UInt8]? {
        guard presented.utf8.starts(with: prefix.utf8) else { return nil }
        return Base64URL.decode(utf8: Array(presented.utf8).dropFirst(prefix.utf8.count))
    }

    private static func bytes(_ place: RefreshTokenPlace) -> [UInt8] {
        let generation = UInt32(truncatingIfNeeded: place.generation)
        return place.user.uuid.bytes + place.session.uuid.bytes
            + (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) }
    }

    private func selfContained(_ presented: String, _ prefix: String) -> PresentedRefreshToken? {
        guard let bytes = Self.decoded(presented, after: prefix),
            bytes.count == Self.placeBytes + Self.checkBytes + Self.proofBytes
        else { return nil }
        let place = Array(bytes[..<Self.placeBytes])
        let checked = Array(bytes[Self.placeBytes...].prefix(Self.checkBytes))
        let isOurs = keys.contains { constantTimeEquals(checked, Array(check(place, prefix, $0))) }
        guard isOurs else { return nil }
        return .placed(
            RefreshTokenPlace(
                user: UserID(UUIDText(bytes: Array(place[..<16]))),
                session: SessionID(UUIDText(bytes: Array(place[16..<32]))),
                generation: place[32...].reduce(0) { $0 << 8 | Int64($1) }),
            proof: Array(bytes.suffix(Self.proofBytes)), expiresAt: nil)
    }

    // MARK: JWT

    private func jwtKey(_ keys: Keys) -> SigningKey? {
        signingKey ?? (try? SigningKey.secret(keys.checks))
    }

    private func signed(
        _ session: Session, _ proof: [UInt8], type: String, _ keys: Keys
    ) throws(AuthError) -> RefreshToken {
        // Every claim follows from the session, so that a successor can be computed again; the text
        // of the first token does not change until it is replaced.
        let issuedAt = session.generation == 0 ? session.createdAt : session.lastUsedAt
        let claims: JSONObject = [
            "sub": .string(session.user.text), "sid": .string(session.id.text),
            "gen": .number(JSONNumber(session.generation)),
            "iat": .number(JSONNumber(issuedAt.seconds)),
            // The latest end of the session; an idle session ends earlier.
            "exp": .number(JSONNumber(session.absoluteExpiresAt.seconds)),
            "jti": .string(Base64URL.encode(Array(proof[..<Self.proofBytes]))),
        ]
        guard let key = jwtKey(keys),
            let text = try? JWT.sign(claims, with: key, type: type, includesKeyID: false)
        else { throw .fault(.signingFailed) }
        return RefreshToken(text)
    }

    private func verified(_ presented: String, type: String) -> PresentedRefreshToken? {
        for keys in keys {
            if let token = verified(presented, type: type, keys) { return token }
        }
        return nil
    }

    private func verified(
        _ presented: String, type: String, _ keys: Keys
    ) -> PresentedRefreshToken? {
        guard let key = jwtKey(keys),
            let keys = try? KeySet([key.verificationKey.nameless]),
            // The expiry is checked later (`hasExpired`), after the check for reuse.
            let token = try? JWT.verify(
                presented, keys: keys,
                expecting: TokenExpectations(
                    issuers: [nil], audiences: [nil], types: [type], now: Instant(seconds: 0),
                    leeway: .days(1_000_000))),
            let user = token.subject.flatMap(UserID.init(parsing:)),
            let session = token.claims["sid"]?.stringValue.flatMap(SessionID.init(parsing:)),
            let generation = token.claims["gen"]?.int64Value,
            let proof = token.claims["jti"]?.stringValue.flatMap({ Base64URL.decode($0) })
        else { return nil }
        return .placed(
            RefreshTokenPlace(user: user, session: session, generation: generation), proof: proof,
            expiresAt: token.expiresAt)
    }
}

/// A well-formed refresh token.
package enum PresentedRefreshToken: Equatable, Sendable {
    /// The token contains its session, and the check with the master key is valid. `expiresAt` is
    /// nil if the token itself has no expiry.
    case placed(RefreshTokenPlace, proof: [UInt8], expiresAt: Instant?)
    /// The session of the token is found in the store by this hash.
    case stored(hash: [UInt8])

    /// On or after its `exp` a JWT must not be accepted (RFC 7519 section 4.1.4).
    package func hasExpired(at now: Instant) -> Bool {
        guard case .placed(_, _, let expiresAt?) = self else { return false }
        return now >= expiresAt
    }
}
