internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import KeyValueStore
internal import Time

/// A key whose possession the client has proven with a DPoP proof for this request (RFC 9449).
///
/// Only `AuthServices.proving` creates one. The operation's first store call checks that the proof
/// was not used before (`AuthServices.open`).
package struct ProvenKey: Equatable, Sendable {
    let thumbprint: String
    let algorithm: Algorithm
    private let accessTokenHash: String?
    private let fingerprint: [UInt8]
    private let expiresAt: Instant
    private let isWithAccessToken: Bool

    fileprivate init(_ proof: DPoPProof, _ caller: Caller, expiresAt: Instant) {
        thumbprint = proof.thumbprint
        algorithm = proof.algorithm
        accessTokenHash = proof.accessTokenHash
        fingerprint = proof.fingerprint
        self.expiresAt = expiresAt
        isWithAccessToken = caller.isBound
    }

    /// Whether the proof is also for this access token (section 4.3, item 11).
    func covers(accessToken text: String) -> Bool {
        accessTokenHash?.isSame(as: Base64URL.encode(SHA256.hash(utf8: text))) ?? false
    }

    /// The proof is valid once (section 11.1).
    var use: LimitedUse {
        LimitedUse(
            counter: CounterIncrement(
                StoreLayout.presentations(ofProof: fingerprint), expiresAt: expiresAt),
            refused: isWithAccessToken ? .accessToken(.proofRefused) : .proof(.replayed))
    }
}

extension AuthServices {
    /// The caller, with the key whose possession the request proves.
    ///
    /// - Parameters:
    ///   - proof: the request's `DPoP` header.
    ///   - urls: the URLs of the request, as clients write them. They must not be derived from the
    ///     request's own `Host` header: otherwise a proof for another server would be valid here.
    ///   - givesNonces: whether a proof with a wrong time is answered with a nonce. For a proof
    ///     with a nonce, only the nonce's time counts: by its own time, the proof could be used
    ///     again later.
    package func proving(
        _ caller: Caller, _ proof: String?, method: String, urls: [ProofURL?],
        givesNonces: Bool = false
    ) throws(AuthError) -> Caller {
        guard let proofs = policy.proofs, let proof else { return caller }
        let now = clock.now()
        // With mode `off`, proofs matter only for sessions that are already bound.
        func refusing(_ error: ProofError) throws(AuthError) -> Caller {
            if proofs.mode == .off, !caller.isBound { return caller }
            throw caller.isBound ? .accessToken(.proofRefused) : .proof(error)
        }
        guard let verified = try? DPoPProof(verifying: proof),
            verified.method.isSame(as: method), let url = ProofURL(parsing: verified.url),
            urls.contains(url)
        else { return try refusing(.invalid) }
        let nonces = givesNonces ? proofNonces : nil
        let issuedAt: Instant? =
            if let nonces, let nonce = verified.nonce { nonces.time(of: nonce) } else {
                verified.issuedAt
            }
        guard let issuedAt, now < issuedAt + proofs.ageMax, issuedAt <= now + proofs.leeway else {
            guard let nonces, proofs.mode != .off || caller.isBound else {
                return try refusing(.expired)
            }
            throw .oauth(.useNonce(nonces.nonce(at: now), withToken: caller.isBound))
        }
        let expiresAt = issuedAt + proofs.ageMax
        var proven = caller
        proven.key = ProvenKey(verified, caller, expiresAt: expiresAt + .minutes(1))
        return proven
    }

    /// The claims of a request's access token, without checking that its session is active.
    func claims(of caller: Caller) throws(AuthError) -> AccessClaims {
        let now = clock.now()
        switch caller.bearer {
        case .none, .malformed: throw .accessToken(.missing)
        case .token(let text):
            let claims = try accessTokens.verify(text, at: now)
            // No downgrade (section 7.2): a bound token is not accepted as a bearer token.
            guard claims.clientKey == nil, policy.proofs?.mode != .required else {
                throw .accessToken(.proofRequired)
            }
            return claims
        case .bound(let text):
            guard policy.proofs != nil else { throw .accessToken(.missing) }
            guard let key = caller.key else { throw .accessToken(.proofRequired) }
            let claims = try accessTokens.verify(text, at: now)
            guard let bound = claims.clientKey, bound.isSame(as: key.thumbprint),
                key.covers(accessToken: text)
            else { throw .accessToken(.proofRefused) }
            return claims
        }
    }

    /// The key to which a session is bound when it is opened, or refreshed (section 5).
    func keyToBind(_ caller: Caller) throws(AuthError) -> String? {
        guard let key = caller.key else {
            if policy.proofs?.mode == .required { throw .proof(.required) }
            return nil
        }
        // A session that replaces a bound one is bound in every mode.
        return policy.proofs?.mode == .off && !caller.isBound ? nil : key.thumbprint
    }

    /// Why this caller may not use a refresh token of the session.
    func refusal(of session: Session, to caller: Caller) -> AuthError? {
        guard let bound = session.clientKey else { return nil }
        guard let key = caller.key else { return .proof(.required) }
        return bound.isSame(as: key.thumbprint) ? nil : .proof(.wrongKey)
    }
}

extension Caller {
    fileprivate var isBound: Bool { if case .bound = bearer { true } else { false } }
}
