package import Bytes
package import HTTP
internal import JSON
internal import Synchronization
package import Time

/// A client of a provider's authorization and token endpoints: the browser is sent to the provider,
/// and comes back with a code (OpenID Connect Core 1.0 section 3.1, OAuth 2.1 section 4.1).
package struct RedirectClient: Sendable {
    /// How the client authenticates to the token endpoint.
    package enum Secret: Sendable {
        /// A public client, which only the verifier protects (RFC 7636).
        case none
        /// HTTP Basic, which every provider takes (RFC 6749 section 2.3.1).
        case text(SecretBytes)
        /// A new assertion for each call, in the form.
        case apple(AppleClientSecret)
    }

    package let provider: ProviderConfiguration
    private let clientID: String
    private let secret: Secret
    private let transport: HTTPTransport
    private let discovered = DiscoveredEndpoints()

    package init(
        provider: ProviderConfiguration, clientID: String, secret: Secret,
        transport: HTTPTransport
    ) {
        self.provider = provider
        self.clientID = clientID
        self.secret = secret
        self.transport = transport
    }

    /// The address to which the browser is sent.
    ///
    /// - Parameter challenge: the S256 challenge of the verifier. Apple ignores it.
    package func address(
        returningTo redirectURI: String, state: String, nonce: String, challenge: String
    ) throws(KeyFetchFailure) -> String {
        let url = try endpoint(
            "authorization_endpoint", "/auth/authorize", "/o/oauth2/v2/auth", isNew: true)
        // Apple sends the name and the address only with `response_mode=form_post`.
        let isApple = provider.kind == .apple
        let form = PercentEncoding.form(
            [
                ("client_id", clientID), ("redirect_uri", redirectURI), ("response_type", "code"),
                ("scope", isApple ? "name email" : "openid email profile"), ("state", state),
                ("nonce", nonce), ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ] + (isApple ? [("response_mode", "form_post")] : []))
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + form
    }

    /// The tokens for a code. The identity token is not verified yet.
    package func redeem(
        _ code: String, verifier: String, redirectURI: String, now: Instant
    ) throws(TokenEndpointFailure) -> (idToken: String, refreshToken: SecretBytes?) {
        guard (1...TokenEndpoint.codeBytesMax).contains(code.utf8.count) else {
            throw .invalidGrant
        }
        let url: String
        do {
            url = try endpoint("token_endpoint", "/auth/token", "/token")
        } catch {
            throw .unreachable
        }
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier),
        ]
        var headers: [HTTPHeader] = []
        switch secret {
        case .none: form.append(("client_id", clientID))
        case .apple(let secret):
            form += [
                ("client_id", clientID),
                ("client_secret", try secret.mint(clientID: clientID, now: now)),
            ]
        case .text(let secret):
            // The ID and the secret are form-encoded before they are joined.
            let pair = [clientID, String(decoding: secret.reveal(), as: UTF8.self)]
                .map(PercentEncoding.encode).joined(separator: ":")
            headers = [HTTPHeader("Authorization", "Basic " + Base64.encode(Array(pair.utf8)))]
        }
        let answer = try TokenEndpoint(transport: transport).post(url, form, headers: headers)
        guard let json = try? JSON.parse(answer, limits: .request),
            let idToken = json["id_token"]?.stringValue
        else { throw .malformedAnswer }
        // Only Apple's refresh token is kept, because it must be revoked later.
        let kept = provider.kind == .apple ? json["refresh_token"]?.stringValue : nil
        return (idToken, kept.map { SecretBytes(utf8: $0) })
    }

    /// The endpoints of Apple and Google are known; the endpoints of other providers are in the
    /// discovery document.
    ///
    /// - Parameter isNew: whether to fetch the document again instead of using the cached one.
    private func endpoint(
        _ name: String, _ apple: String, _ google: String, isNew: Bool = false
    ) throws(KeyFetchFailure) -> String {
        let base = ProviderConfiguration.withoutTrailingSlash(provider.canonicalIssuer)
        switch provider.kind {
        case .apple: return base + apple
        case .google:
            let isGoogle = base.isSame(as: ProviderConfiguration.googleIssuers[0])
            return (isGoogle && google == "/token" ? "https://oauth2.googleapis.com" : base)
                + google
        case .oidc:
            if !isNew, let known = discovered.document.withLock({ $0 }) {
                return try known.url(name)
            }
            let document = try DiscoveryDocument(
                from: base + "/.well-known/openid-configuration", of: provider, by: transport)
            discovered.document.withLock { $0 = document }
            return try document.url(name)
        }
    }
}

/// The discovery document of this process's last sign-in. The second part of a sign-in uses the
/// same document.
private final class DiscoveredEndpoints: Sendable {
    let document = Mutex<DiscoveryDocument?>(nil)
}
