package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JOSE
internal import JSON
internal import Time

/// The tokens of a client's grant.
package struct GrantTokens: Sendable {
    package let access: AccessToken
    package let refresh: RefreshToken?
    /// Set if the user has granted OpenID Connect.
    package let identity: String?
    package let scope: [String]
}

/// Signs the tokens of a grant. Its keys are got before anything is used up.
struct GrantSigner {
    private let auth: AuthServices
    private let oauth: OAuthServices
    private let policy: OAuthPolicy
    private let accessKey: SigningKey
    private let identityKey: SigningKey?
    private let client: Client

    init(_ auth: AuthServices, for client: Client) throws(AuthError) {
        let now = auth.clock.now()
        self.auth = auth
        self.client = client
        oauth = try auth.oauth
        policy = try auth.oauthPolicy
        accessKey = try auth.signingKeys.signingKey(at: now)
        identityKey = try oauth.idTokenKeys[client.idTokenAlgorithm]?.signingKey(at: now)
    }

    /// The resource that an access token is for: one that the client names now, or the only one
    /// that was granted.
    ///
    /// - Parameter asked: `resource` of the request for tokens.
    func audience(
        _ asked: [String], of grant: ClientGrant
    ) throws(AuthError) -> String {
        let isOpenID = grant.scope.contains(StandardScope.openid.rawValue)
        let granted = grant.resources + (isOpenID || grant.resources.isEmpty ? [oauth.issuer] : [])
        guard let wanted = asked.first else {
            guard grant.resources.count <= 1 else { throw .oauth(.invalidTarget) }
            return grant.resources.first ?? oauth.issuer
        }
        guard asked.count == 1, granted.contains(where: { $0.isSame(as: wanted) }) else {
            throw .oauth(.invalidTarget)
        }
        return wanted
    }

    /// - Parameters:
    ///   - key: the thumbprint of the key to which the access token is bound.
    ///   - scope: of the access token, if the client asks for less than was granted.
    ///   - nonce: of the request, in the first ID token alone (OpenID Connect Core section 12.2).
    func tokens(
        for user: User, _ session: Session, _ grant: ClientGrant, audience: String,
        boundTo key: String?, scope: [String]? = nil, nonce: String? = nil, at now: Instant
    ) throws(AuthError) -> GrantTokens {
        let asked = scope ?? grant.scope
        let words = oauth.words(of: asked, for: audience)
        let access = try accessToken(
            for: user, session, audience, words, boundTo: key, at: now)
        let isOpenID = asked.contains(StandardScope.openid.rawValue)
        return GrantTokens(
            access: access,
            refresh: grant.refreshes ? try auth.grantTokens.token(of: session) : nil,
            identity: isOpenID
                ? try identityToken(
                    for: user, session, grant, access.reveal(), nonce: nonce, at: now) : nil,
            // What this token can do, and what is not said by a token.
            scope: asked.filter { words.contains($0) || StandardScope.isOne($0) })
    }

    /// RFC 9068 section 2.2.
    private func accessToken(
        for user: User, _ session: Session, _ audience: String, _ scope: [String],
        boundTo key: String?, at now: Instant
    ) throws(AuthError) -> AccessToken {
        let issuedAt = Instant(seconds: now.seconds)
        let expiresAt = issuedAt + policy.accessTokenLifetime
        var claims: JSONObject = [
            "iss": .string(oauth.issuer), "aud": .string(audience), "sub": .string(user.id.text),
            "client_id": .string(client.id), "iat": .number(issuedAt.seconds),
            "exp": .number(expiresAt.seconds),
            "jti": .string(Base64URL.encode(auth.random.bytes(16))),
            "sid": .string(session.id.text),
            "scope": .string(scope.joined(separator: " ")),
        ]
        add(session.proofs.latest, to: &claims)
        claims["cnf"] = key.map { ["jkt": .string($0)] }
        let text = try sign(claims, with: accessKey, type: GrantAccess.tokenType)
        return AccessToken(
            text: text, expiresAt: expiresAt, lifetime: policy.accessTokenLifetime,
            isBound: key != nil)
    }

    /// OpenID Connect Core sections 2 and 3.1.3.6.
    private func identityToken(
        for user: User, _ session: Session, _ grant: ClientGrant, _ accessToken: String,
        nonce: String?, at now: Instant
    ) throws(AuthError) -> String {
        guard let identityKey else { throw .fault(.signingFailed) }
        let digest = SHA256.hash(Array(accessToken.utf8))
        var claims: JSONObject = [
            "iss": .string(oauth.issuer), "aud": .string(client.id), "sub": .string(user.id.text),
            "iat": .number(now.seconds),
            "exp": .number((now + policy.idTokenLifetime).seconds),
            "sid": .string(grant.browser.text),
            "at_hash": .string(Base64URL.encode(Array(digest[..<(digest.count / 2)]))),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        add(session.proofs.latest, to: &claims)
        return try sign(claims, with: identityKey, type: "JWT")
    }

    /// When and how the user has proven who they are, which a new token does not renew.
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
