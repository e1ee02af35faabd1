package import Bytes
package import HTTP
internal import JSON
package import Time

/// A client of Apple's token endpoint: exchanges an authorization code for a refresh token, which
/// is only stored to be revoked when the identity is removed or the account deleted.
package struct AppleTokenClient: Sendable {
    private let provider: ProviderConfiguration
    private let secret: AppleClientSecret
    private let endpoint: TokenEndpoint
    private let verifier: IdentityVerifier
    private let base: String

    package init(
        provider: ProviderConfiguration, secret: AppleClientSecret, transport: HTTPTransport,
        verifier: IdentityVerifier
    ) {
        self.provider = provider
        self.secret = secret
        endpoint = TokenEndpoint(transport: transport)
        self.verifier = verifier
        base = ProviderConfiguration.withoutTrailingSlash(provider.canonicalIssuer)
    }

    /// Exchanges the code that came with an ID token.
    ///
    /// The client ID is the audience of that token, because Apple issues a code to one client only.
    /// If the response has an ID token, it must be for the same user: an attacker could have given
    /// the app another user's code.
    ///
    /// - Parameter redirectURI: for a code of the web flow; an app's code has none.
    package func exchange(
        authorizationCode: String, for identity: VerifiedIdentity, redirectURI: String? = nil,
        now: Instant
    ) throws(TokenEndpointFailure) -> AppleTokenResponse {
        guard (1...TokenEndpoint.codeBytesMax).contains(authorizationCode.utf8.count) else {
            throw .invalidGrant
        }
        var form = try credentials(identity.audience, now)
        form += [("code", authorizationCode), ("grant_type", "authorization_code")]
        if let redirectURI { form.append(("redirect_uri", redirectURI)) }
        let answer = try endpoint.post(base + "/auth/token", form)
        guard let json = try? JSON.parse(answer, limits: .request),
            let refreshToken = json["refresh_token"]?.stringValue, !refreshToken.isEmpty
        else { throw .malformedAnswer }
        let idToken: String?
        switch json["id_token"] {
        case nil: idToken = nil
        case .string(let text)?: idToken = text
        case .null?, .bool?, .number?, .array?, .object?: throw .malformedAnswer
        }
        if let idToken { try check(idToken, isOf: identity, now) }
        return AppleTokenResponse(
            refreshToken: SecretBytes(utf8: refreshToken), clientID: identity.audience,
            idToken: idToken)
    }

    /// Revokes Apple's consent. Also succeeds for a token that Apple does not know.
    package func revoke(
        _ refreshToken: SecretBytes, clientID: String, now: Instant
    ) throws(TokenEndpointFailure) {
        var form = try credentials(clientID, now)
        let token = String(decoding: refreshToken.reveal(), as: UTF8.self)
        form += [("token", token), ("token_type_hint", "refresh_token")]
        _ = try endpoint.post(base + "/auth/revoke", form)
    }

    private func credentials(
        _ clientID: String, _ now: Instant
    ) throws(TokenEndpointFailure) -> [(String, String)] {
        let assertion = try secret.mint(clientID: clientID, now: now)
        return [("client_id", clientID), ("client_secret", assertion)]
    }

    private func check(
        _ idToken: String, isOf identity: VerifiedIdentity, _ now: Instant
    ) throws(TokenEndpointFailure) {
        let other: VerifiedIdentity
        do {
            other = try verifier.verify(
                idToken: idToken, provider: provider, nonce: .ignored, now: now)
        } catch {
            if case .keysUnavailable = error { throw .unreachable }
            throw .malformedAnswer
        }
        guard other.subject.isSame(as: identity.subject),
            other.audience.isSame(as: identity.audience)
        else { throw .otherPerson }
    }
}
