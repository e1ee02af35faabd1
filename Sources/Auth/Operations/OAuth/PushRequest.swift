package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
package import Time

/// Stores a client's authorization request before the client sends the browser (RFC 9126). The
/// request is validated now, like a request that a browser brings, so that the client itself gets
/// the errors.
package struct PushRequest: Sendable {
    let auth: AuthServices

    /// The parameters that are stored. Others are not, in particular the client's credentials.
    private static let known = [
        "response_type", "response_mode", "redirect_uri", "scope", "resource", "state",
        "code_challenge", "code_challenge_method", "nonce", "prompt", "max_age", "login_hint",
        "id_token_hint", "dpop_jkt", "acr_values", "claims", "display", "ui_locales",
        // The next two are refused later.
        "request", "registration",
    ]
    private static let bytesMax = 16 << 10
    fileprivate static let pairsMax = 64

    package func callAsFunction(
        _ parameters: RequestParameters, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> PushedRequest {
        let oauth = try auth.oauth
        // 1. Open: count, and find the client.
        let (client, opening) = try auth.open(
            .pushRequest, as: .authorizationCode, by: credentials, caller, begins: true)
        try opening.admit()

        // 2. Judge the request. A proof that comes with it names the key (RFC 9449 section 10.1).
        guard parameters["request_uri"] == nil else {
            throw .oauth(.invalidRequest("request_uri cannot be pushed."))
        }
        let key = auth.policy.proofs.flatMap { $0.mode == .off ? nil : caller.key?.thumbprint }
        if let key, let named = parameters["dpop_jkt"], !named.isSame(as: key) {
            throw .oauth(.invalidRequest("dpop_jkt differs from the key of the proof."))
        }
        var pairs = Self.known.flatMap { name in parameters.all(name).map { (name, $0) } }
        if let key, parameters["dpop_jkt"] == nil { pairs.append(("dpop_jkt", key)) }
        do throws(AuthorizationRefusal) {
            let request = try AuthorizationRequest(
                RequestParameters(pairs.map { (name: $0.0, value: $0.1) }), of: client,
                to: oauth, isPushed: true)
            auth.logFacts.values.scopesLeftOut = request.ignoredScopes
        } catch {
            auth.logFacts.values.unlistedAddress = error.unlistedAddress
            throw .oauth(error.error)
        }
        let text = PercentEncoding.form(pairs)
        guard text.utf8.count <= Self.bytesMax else {
            throw .oauth(.invalidRequest("The request is too large."))
        }

        // 3. Close: store the request.
        let (now, policy) = (auth.clock.now(), try auth.oauthPolicy)
        let secret = auth.random.bytes(PushedRequest.secretBytes)
        let pushed = PushedAuthorization(
            client: client.id, parameters: text, endsAt: now + policy.pushedLifetime)
        let row = pushed.item(
            StoreLayout.pushedAuthorization(PushedRequest.hash(secret)),
            expiresAt: now + policy.pushedLifetime + policy.requestLifetime)
        let kept = try auth.keeping(client, at: now)
        guard try auth.store.attempt([.put(row, when: [.absent])] + kept) else {
            throw .unavailable(.contention)
        }
        return PushedRequest(name: secret, lifetime: policy.pushedLifetime)
    }
}

/// The name of a pushed request.
package struct PushedRequest: Sendable {
    package let uri: String
    package let lifetime: Span

    fileprivate static let secretBytes = 32
    /// The prefix of the name (RFC 9126 section 2.2).
    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    fileprivate init(name: [UInt8], lifetime: Span) {
        uri = Self.prefix + Base64URL.encode(name)
        self.lifetime = lifetime
    }

    fileprivate static func hash(_ secret: [UInt8]) -> String {
        Base64URL.encode(WaitingAuthorization.hash(secret))
    }

    /// Whether this server can have issued the URI. Otherwise it may be a URL at the client.
    fileprivate static func isName(_ uri: String) -> Bool { uri.hasPrefix(prefix) }

    /// nil for a name that this server has not issued.
    fileprivate static func secret(_ uri: String) -> [UInt8]? {
        let secret = Base64URL.decode(String(uri.dropFirst(prefix.count)))
        return secret?.count == secretBytes ? secret : nil
    }
}

extension AuthServices {
    package var pushRequest: PushRequest { PushRequest(auth: self) }

    /// The parameters of a request that a browser brings. For a pushed request, these are the
    /// parameters that the client has sent; the browser's others are ignored (RFC 9126 section 4).
    ///
    /// - Returns: the parameters, and the hash of a pushed request's name.
    package func requested(
        _ brought: RequestParameters
    ) throws(AuthError) -> (parameters: RequestParameters, pushed: String?) {
        guard let uri = brought["request_uri"], PushedRequest.isName(uri) else {
            return (brought, nil)
        }
        guard let hash = PushedRequest.secret(uri).map(PushedRequest.hash),
            let client = brought["client_id"], !brought.isRepeated("client_id"),
            !brought.isRepeated("request_uri"),
            let row = try store.get(StoreLayout.pushedAuthorization(hash)),
            !WaitingAuthorization.isAnswered(row)
        else { throw .oauth(.unknownRequest) }
        let pushed = try decoded(PushedAuthorization(row))
        guard clock.now() < pushed.endsAt, pushed.client.isSame(as: client),
            let pairs = PercentEncoding.parseForm(
                pushed.parameters, pairsMax: PushRequest.pairsMax)
        else { throw .oauth(.unknownRequest) }
        let all = [("client_id", client)] + pairs
        return (RequestParameters(all.map { (name: $0.0, value: $0.1) }), hash)
    }
}

extension AuthOperation {
    package static let pushRequest = AuthOperation(
        "pushRequest", servedBy: "par", counting: [.client, .address])
}
