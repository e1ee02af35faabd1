package import AuthDomain
internal import Bytes
internal import Cryptography
package import JOSE
internal import JSON
internal import Time

/// Computes the refresh token of a session's generation, so that no token is stored and the same
/// successor can be given again to a client whose answer was lost.
///
/// A token has a proof that depends on the master key and on the session's seed: the key is not in
/// the store, the seed is nowhere else, and neither alone is enough. Forms that name their own place
/// also have a check under the master key alone, so that a forged token costs no read.
package struct RefreshTokenDeriver: Sendable {
    private let key: SecretBytes
    private let checkKey: SecretBytes
    private let form: RefreshTokenForm
    private let signingKey: SigningKey?

    private static let placeBytes = 36
    private static let checkBytes = 8
    private static let proofBytes = 16
    private static let textBytesMax = 2048

    /// - Parameter signingKey: a secret of the operator's, under which tokens of the form `.jwt` are
    ///   signed instead of the derived one. It alone makes no token: the proof is the master key's.
    package init(_ master: MasterKey, form: RefreshTokenForm, signingKey: SigningKey? = nil) {
        key = master.refreshTokens
        checkKey = master.refreshTokenChecks
        self.form = form
        self.signingKey = signingKey
    }

    /// The token of the family's current generation.
    package func token(of family: SessionFamily) throws(AuthError) -> RefreshToken {
        let place = RefreshTokenPlace(
            user: family.user, session: family.id, generation: family.generation)
        let proof = proof(place, seed: family.seed)
        switch form {
        case .selfContained(let prefix):
            let named = Self.bytes(place)
            let bytes = named + check(named, prefix) + proof[..<Self.proofBytes]
            return RefreshToken(prefix + Base64URL.encode(bytes))
        case .opaque(let prefix): return RefreshToken(prefix + Base64URL.encode(proof))
        case .uuid: return RefreshToken(UUIDText(bytes: Array(proof[..<16])).text)
        case .jwt(let type): return try signed(family, proof, type: type)
        }
    }

    /// The hash by which the token of the family's current generation is found; nil for forms that
    /// name their own place.
    package func lookupHash(of family: SessionFamily) throws(AuthError) -> [UInt8]? {
        switch form {
        case .selfContained, .jwt: nil
        case .opaque, .uuid: SHA256.hash(Array(try token(of: family).reveal().utf8))
        }
    }

    /// What a presented text says of itself; nil when it cannot be one of our tokens.
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

    /// Whether a token that names its own place was derived from this family's seed.
    package func isProven(
        _ proof: [UInt8], _ place: RefreshTokenPlace, by family: SessionFamily
    ) -> Bool {
        constantTimeEquals(proof, Array(self.proof(place, seed: family.seed)[..<Self.proofBytes]))
    }

    // MARK: The parts of a token

    private func proof(_ place: RefreshTokenPlace, seed: [UInt8]) -> [UInt8] {
        // A fixed-length encoding: no two inputs share one.
        HMAC.sha256(
            Array("latchkey refresh token 2\0".utf8) + Self.bytes(place) + SHA256.hash(seed),
            key: key)
    }

    /// With the prefix, so that the token of one contract is not one of another's.
    private func check(_ place: [UInt8], _ prefix: String) -> ArraySlice<UInt8> {
        let message = Array("latchkey refresh token check 1\0\(prefix)\0".utf8) + place
        return HMAC.sha256(message, key: checkKey)[..<Self.checkBytes]
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
        guard constantTimeEquals(checked, Array(check(place, prefix))) else { return nil }
        return .placed(
            RefreshTokenPlace(
                user: UserID(UUIDText(bytes: Array(place[..<16]))),
                session: SessionID(UUIDText(bytes: Array(place[16..<32]))),
                generation: place[32...].reduce(0) { $0 << 8 | Int64($1) }),
            proof: Array(bytes.suffix(Self.proofBytes)))
    }

    // MARK: JWT

    private var jwtKey: SigningKey? { signingKey ?? (try? SigningKey.secret(checkKey)) }

    private func signed(
        _ family: SessionFamily, _ proof: [UInt8], type: String
    ) throws(AuthError) -> RefreshToken {
        // Every member follows from the family, so that a successor can be computed again; the first
        // token is the same text for as long as it is not replaced.
        let issuedAt = family.generation == 0 ? family.createdAt : family.lastUsedAt
        let claims: JSONObject = [
            "sub": .string(family.user.text), "sid": .string(family.id.text),
            "gen": .number(JSONNumber(family.generation)),
            "iat": .number(JSONNumber(issuedAt.seconds)),
            "exp": .number(JSONNumber(family.expiresAt.seconds)),
            "jti": .string(Base64URL.encode(Array(proof[..<Self.proofBytes]))),
        ]
        guard let key = jwtKey,
            let text = try? JWT.sign(claims, with: key, type: type, includesKeyID: false)
        else { throw .fault(.signingFailed) }
        return RefreshToken(text)
    }

    private func verified(_ presented: String, type: String) -> PresentedRefreshToken? {
        guard let key = jwtKey,
            let keys = try? KeySet([key.verificationKey.nameless]),
            // Its end is judged by the session, which knows it exactly.
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
            RefreshTokenPlace(user: user, session: session, generation: generation), proof: proof)
    }
}

/// A text that has the form of our refresh tokens.
package enum PresentedRefreshToken: Equatable, Sendable {
    /// It names its place, and the check under the master key holds.
    case placed(RefreshTokenPlace, proof: [UInt8])
    /// Its place is in the store, under this hash.
    case stored(hash: [UInt8])
}
