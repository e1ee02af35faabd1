package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import KeyValueStore
internal import Time

/// The tokens of a client's grant.
package struct GrantTokens: Sendable {
    package let access: AccessToken
    package let refresh: RefreshToken?
    /// Set if the user has granted OpenID Connect.
    package let identity: String?
    package let scope: [String]
    /// Whether the tokens result from an exchange (RFC 8693).
    package var isExchanged = false
}

/// The contents of a grant's tokens, decided before anything is written. The hook has been called.
struct PlannedTokens {
    let user: User
    let session: Session
    let grant: ClientGrant
    let audience: String
    /// The thumbprint of the key to which the access token is bound.
    let key: String?
    /// The requested scopes.
    let scope: [String]
    /// The scopes that the audience knows.
    let words: [String]
    /// The claims that the application has added.
    fileprivate let added: [TokenTarget: AddedClaims]

    /// The checks that the hook's answer requires.
    var checks: [Write] { added.values.first { !$0.checks.isEmpty }?.checks ?? [] }
}

/// Signs the tokens of a grant. Its keys are loaded before anything is used up.
final class GrantSigner {
    private let auth: AuthServices
    private let oauth: OAuthServices
    private let policy: OAuthPolicy
    private let client: Client
    private let hook: GrantHook
    private var accessKeys: [Algorithm: SigningKey] = [:]
    private let identityKey: SigningKey?

    /// - Parameter identifies: whether it may have to sign ID tokens.
    init(
        _ auth: AuthServices, for client: Client, _ operation: AuthOperation, _ caller: Caller,
        identifies: Bool = true
    ) throws(AuthError) {
        self.auth = auth
        self.client = client
        oauth = try auth.oauth
        policy = try auth.oauthPolicy
        hook = GrantHook(auth, client, operation, caller)
        identityKey =
            identifies
            ? try oauth.idTokenKeys[client.idTokenAlgorithm]?.signingKey(at: auth.clock.now())
            : nil
    }

    private func accessKey(for audience: String) throws(AuthError) -> SigningKey {
        let algorithm = oauth.algorithm(for: audience)
        if let known = accessKeys[algorithm] { return known }
        let keys = oauth.keys(algorithm) ?? auth.signingKeys
        let key = try keys.signingKey(at: auth.clock.now())
        accessKeys[algorithm] = key
        return key
    }

    /// The audience of an access token: the resource in the request, or else the only resource that
    /// was granted.
    ///
    /// - Parameter asked: `resource` in the token request.
    func audience(
        _ asked: [String], of grant: ClientGrant
    ) throws(AuthError) -> String {
        let isOpenID = grant.scope.contains(StandardScope.openid.rawValue)
        let granted = grant.resources + (isOpenID || grant.resources.isEmpty ? [oauth.issuer] : [])
        guard let wanted = asked.first else {
            guard grant.resources.count <= 1 else { throw .oauth(.targetMissing) }
            return grant.resources.first ?? oauth.issuer
        }
        guard asked.count == 1, granted.contains(where: { $0.isSame(as: wanted) }) else {
            throw .oauth(.invalidTarget(asked.count == 1 ? RepeatedText(wanted) : nil))
        }
        return wanted
    }

    /// Decides the tokens' contents. Call this after everything else that may refuse the request,
    /// and before the write, so that nothing is used up if the hook fails.
    ///
    /// - Parameters:
    ///   - key: the thumbprint of the key that the client has proven.
    ///   - scope: the access token's scopes, if the client asks for fewer than were granted.
    func plan(
        for user: User, _ session: Session, audience: String, boundTo key: String?,
        scope: [String]? = nil, _ reason: TokenReason
    ) throws(AuthError) -> PlannedTokens {
        guard let grant = session.grant else { throw .fault(.unexpectedError) }
        try requireKey(key, for: audience)
        let asked = scope ?? grant.scope
        let words = oauth.words(of: asked, for: audience)
        let targets: [TokenTarget] =
            asked.contains(StandardScope.openid.rawValue)
            ? [.accessToken, .idToken] : [.accessToken]
        var added: [TokenTarget: AddedClaims] = [:]
        for target in targets {
            added[target] = try hook.claims(
                of: target, for: user, session, audience: audience, words, reason)
        }
        return PlannedTokens(
            user: user, session: session, grant: grant, audience: audience, key: key,
            scope: asked, words: words, added: added)
    }

    private func requireKey(_ key: String?, for audience: String) throws(AuthError) {
        let isBound = client.requiresProof || oauth.resource(audience)?.requiresProof ?? false
        if isBound, key == nil { throw .proof(.required) }
        _ = try accessKey(for: audience)
    }

    /// - Parameters:
    ///   - session: the grant's session as it was written.
    ///   - nonce: the request's nonce, which only the first ID token contains (OpenID Connect Core
    ///     section 12.2).
    func tokens(
        _ plan: PlannedTokens, of session: Session, nonce: String? = nil, at now: Instant
    ) throws(AuthError) -> GrantTokens {
        let access = try accessToken(plan, session, at: now)
        let leftOut = plan.scope.filter { word in
            !StandardScope.isOne(word)
                && !plan.grant.resources.contains { oauth.resource($0)?.has(word) ?? false }
        }
        if !leftOut.isEmpty {
            auth.logFacts.values.client = client.id
            auth.logFacts.values.scopesLeftOut = leftOut
        }
        return GrantTokens(
            access: access,
            refresh: plan.grant.refreshes ? try auth.grantTokens.token(of: session) : nil,
            identity: try plan.added[.idToken].map { added throws(AuthError) in
                try identityToken(
                    plan, session, access.reveal(), adding: added.members, nonce: nonce, at: now)
            },
            // The scopes of the access token, and the standard scopes even if the audience does not
            // know them.
            scope: plan.scope.filter { plan.words.contains($0) || StandardScope.isOne($0) })
    }

    /// The access token (RFC 9068 section 2.2).
    private func accessToken(
        _ plan: PlannedTokens, _ session: Session, at now: Instant
    ) throws(AuthError) -> AccessToken {
        try accessToken(
            of: plan.user.id.text, for: plan.audience, plan.words, boundTo: plan.key,
            userClaims(plan, session), at: now)
    }

    private func userClaims(_ plan: PlannedTokens, _ session: Session) -> JSONObject {
        var claims = plan.added[.accessToken]?.members ?? JSONObject()
        claims["sid"] = .string(session.id.text)
        let ends = auth.revocationClaims(
            of: plan.user, session, in: plan.grant.isOffline ? nil : plan.grant.browser)
        for (name, value) in ends.members { claims[name] = value }
        add(session.proofs.latest, to: &claims)
        return claims
    }

    /// A token from an exchange (RFC 8693 section 2.2), which expires no later than the original
    /// one.
    func exchanged(
        _ plan: PlannedTokens, of session: Session, for subject: ClientToken, at now: Instant
    ) throws(AuthError) -> GrantTokens {
        var claims = userClaims(plan, session)
        claims["act"] = .actors([client.id] + subject.actors)
        let access = try accessToken(
            of: plan.user.id.text, for: plan.audience, plan.words, boundTo: plan.key, claims,
            until: subject.expiresAt, at: now)
        return GrantTokens(
            access: access, refresh: nil, identity: nil, scope: plan.words, isExchanged: true)
    }

    /// A token that a client has for itself (OAuth 2.1 section 4.2). Nothing is stored for it.
    func ownToken(
        for audience: String, _ words: [String], boundTo key: String?, at now: Instant
    ) throws(AuthError) -> GrantTokens {
        try requireKey(key, for: audience)
        let claims = try hook.ownClaims(audience: audience, words)
        return GrantTokens(
            access: try accessToken(
                of: client.id, for: audience, words, boundTo: key, claims, at: now),
            refresh: nil, identity: nil, scope: words)
    }

    /// - Parameter added: the application's claims. A claim of our own replaces an added claim of
    ///   the same name.
    private func accessToken(
        of subject: String, for audience: String, _ words: [String], boundTo key: String?,
        _ added: JSONObject, until end: Instant? = nil, at now: Instant
    ) throws(AuthError) -> AccessToken {
        let issuedAt = Instant(seconds: now.seconds)
        let usual = issuedAt + (oauth.resource(audience)?.lifetime ?? policy.accessTokenLifetime)
        let expiresAt = end.map { min($0, usual) } ?? usual
        var claims = added
        claims["iss"] = .string(oauth.issuer)
        claims["aud"] = .string(audience)
        claims["sub"] = .string(subject)
        claims["client_id"] = .string(client.id)
        claims["iat"] = .number(issuedAt.seconds)
        claims["exp"] = .number(expiresAt.seconds)
        claims["jti"] = .string(Base64URL.encode(auth.random.bytes(16)))
        claims["scope"] = .string(words.joined(separator: " "))
        claims["cnf"] = key.map { ["jkt": .string($0)] }
        let text = try sign(
            claims, with: try accessKey(for: audience), type: ClientToken.type)
        return AccessToken(
            text: text, expiresAt: expiresAt, lifetime: expiresAt - issuedAt,
            isBound: key != nil)
    }

    /// The ID token (OpenID Connect Core sections 2 and 3.1.3.6).
    private func identityToken(
        _ plan: PlannedTokens, _ session: Session, _ accessToken: String,
        adding added: JSONObject, nonce: String?, at now: Instant
    ) throws(AuthError) -> String {
        guard let identityKey else { throw .fault(.signingFailed) }
        let digest = SHA256.hash(Array(accessToken.utf8))
        var claims = added
        let own = plan.user.claims(plan.grant.claims.identity)
        for claim in own.members { claims[claim.name] = claim.value }
        claims["iss"] = .string(oauth.issuer)
        claims["aud"] = .string(client.id)
        claims["sub"] = .string(plan.user.id.text)
        claims["iat"] = .number(now.seconds)
        claims["exp"] = .number((now + policy.idTokenLifetime).seconds)
        claims["sid"] = .string(plan.grant.browser.text)
        claims["at_hash"] = .string(Base64URL.encode(Array(digest[..<(digest.count / 2)])))
        claims["nonce"] = nonce.map { .string($0) }
        let proof = session.proofs.latest
        add(proof, to: &claims)
        claims["acr"] = .string(plan.grant.claims.strength(of: proof.strength).name)
        return try sign(claims, with: identityKey, type: "JWT")
    }

    /// Adds when and how the user has proven who they are. A new token does not renew the proof.
    private func add(_ proof: SignInProof, to claims: inout JSONObject) {
        claims["auth_time"] = .number(proof.provenAt.seconds)
        claims["acr"] = .string(proof.strength.name)
        claims["amr"] = proof.references.map { .array($0.map { .string($0) }) }
    }

    private func sign(
        _ claims: JSONObject, with key: SigningKey, type: String
    ) throws(AuthError) -> String {
        guard let text = try? JWT.sign(claims, with: key, type: type, includesKeyID: true) else {
            throw .fault(.signingFailed)
        }
        return text
    }
}

extension JSON {
    /// The claim `act`: each actor contains the previous one (RFC 8693 section 4.1).
    static func actors(_ actors: [String]) -> JSON {
        var claim: JSONObject = [:]
        for actor in actors.reversed() {
            claim =
                claim.isEmpty
                ? ["sub": .string(actor)] : ["sub": .string(actor), "act": .object(claim)]
        }
        return .object(claim)
    }
}
