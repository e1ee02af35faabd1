package import AuthDomain
internal import Bytes
internal import Cryptography
internal import JOSE
package import JSON
package import Time

/// Signs the access tokens of one request, with the claims that the application adds to them.
package final class AccessTokenSigner {
    private let auth: AuthServices
    private let key: SigningKey
    private let operation: AuthOperation
    private let caller: Caller
    private var asked: (question: Question, claims: JSONObject)?

    init(_ auth: AuthServices, _ key: SigningKey, _ operation: AuthOperation, _ caller: Caller) {
        self.auth = auth
        self.key = key
        self.operation = operation
        self.caller = caller
    }

    // MARK: The hook

    /// The facts that the hook receives.
    private struct Question: Equatable {
        let user: UserID
        let reason: TokenReason
        let methods: [ProofMethod]
        let strength: ProofStrength
    }

    /// Asks the hook `token`. Call it after everything that may refuse the request, and before the
    /// write: if the hook fails, nothing may be used up.
    ///
    /// The answer is kept for the request: the hook is not called again in another attempt.
    func claims(
        for user: User, _ session: Session, _ reason: TokenReason
    ) throws(AuthError) -> AddedClaims {
        guard let hooks = auth.hooks, hooks.has(.token) else { return .none(for: user) }
        let proof = session.proofs.latest
        let question = Question(
            user: user.id, reason: reason, methods: proof.methods, strength: proof.strength)
        if let asked, asked.question == question { return AddedClaims(asked.claims, for: user) }
        var members = HookEvent.members(of: session, user)
        members["reason"] = .string(reason.rawValue)
        let event = HookEvent(.token, auth, operation, session.origin.provider, members, caller)
        let own = auth.policy.accessTokens.claims.map(\.name)
        let claims = try hooks.answer(to: event) { bytes throws(HookFailure) in
            try TokenHookAnswer.claims(parsing: bytes, own: own)
        }
        asked = (question, claims ?? JSONObject())
        return AddedClaims(claims ?? JSONObject(), for: user)
    }

    // MARK: Signing

    func issue(
        to user: User, _ session: Session, adding added: AddedClaims, at now: Instant
    ) throws(AuthError) -> AccessToken {
        precondition(added.user == user.id)
        return try issue(
            to: user, session: session.id, boundTo: session.clientKey,
            proof: session.proofs.latest, adding: added.members,
            auth.revocationClaims(of: user, session), at: now)
    }

    /// - Parameter proof: the user's proof of identity, if the token contains it.
    package func issue(
        to user: User, session: SessionID, boundTo clientKey: String?, proof: SignInProof? = nil,
        adding added: JSONObject = JSONObject(), _ ends: JSONObject = JSONObject(),
        at now: Instant
    ) throws(AuthError) -> AccessToken {
        let policy = auth.policy.accessTokens
        let expiresAt = Instant(seconds: now.seconds) + policy.lifetime
        // Our own claims replace added ones with the same name.
        var claims = added
        for (name, value) in ends.members { claims[name] = value }
        for claim in policy.claims {
            claims[claim.name] = value(claim.value, user, session, proof, now, expiresAt)
        }
        // RFC 9449 section 6.1.
        claims["cnf"] = clientKey.map { ["jkt": .string($0)] }
        guard
            let text = try? JWT.sign(
                claims, with: key, type: policy.type, includesKeyID: policy.includesKeyID)
        else { throw .fault(.signingFailed) }
        return AccessToken(
            text: text, expiresAt: expiresAt, lifetime: policy.lifetime, isBound: clientKey != nil)
    }

    private func value(
        _ value: ClaimValue, _ user: User, _ session: SessionID, _ proof: SignInProof?,
        _ now: Instant, _ expiresAt: Instant
    ) -> JSON? {
        switch value {
        case .issuer: .string(auth.issuer)
        case .audience, .clientID: .string(auth.policy.accessTokens.audience)
        case .issuedAt: .number(JSONNumber(now.seconds))
        case .expiresAt: .number(JSONNumber(expiresAt.seconds))
        case .tokenID: .string(Base64URL.encode(auth.random.bytes(16)))
        case .userID: .string(user.id.text)
        case .publicUserID: user.publicID.map { .number(JSONNumber($0)) }
        case .email: user.email.map { .string($0) }
        case .session: .string(session.text)
        case .userAndSession: .string("\(user.id.text).\(session.text)")
        case .epoch: .number(JSONNumber(user.epoch))
        case .provenAt: proof.map { .number(JSONNumber($0.provenAt.seconds)) }
        case .strength: proof.map { .string($0.strength.name) }
        case .methods: proof?.references.map { .array($0.map { .string($0) }) }
        }
    }
}
