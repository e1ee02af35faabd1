internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import HTTP
internal import JSON
internal import Time

/// The token endpoint (RFC 6749 sections 4.1.3 and 6).
extension Provider {
    private static let accessLifetime = Span.hours(1)
    private static let refreshLifetime = Span.days(180)

    func token(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        if faults.take(.token500) != nil {
            throw OAuthError(.json(["error": "server_error"], status: 500))
        }
        if faults.take(.tokenHTML) != nil { return .now(.html) }
        if faults.take(.token429) != nil {
            throw OAuthError(
                .json(
                    ["error": "rate_limit_exceeded"], status: 429,
                    headers: [HTTPHeader("Retry-After", "30")]))
        }
        guard let slow = faults.take(.tokenTimeout) else {
            return .now(try tokenAnswer(exchange))
        }
        // The code is used although the client times out, as with a real time-out.
        let response: ServerResponse
        do throws(OAuthError) {
            response = try tokenAnswer(exchange)
        } catch {
            response = error.response
        }
        return .after(slow.delay ?? EndpointFault.tokenTimeout.usualDelay, response)
    }

    private func tokenAnswer(_ exchange: OpenIDRequest) throws(OAuthError) -> ServerResponse {
        let form = try exchange.form()
        let client = try authenticate(exchange, form)
        guard let type = form["grant_type"] else {
            throw .oauth("invalid_request", "Missing required parameter: grant_type")
        }
        if type.isSame(as: "authorization_code") {
            return try redeem(form, client, at: exchange.now)
        }
        if type.isSame(as: "refresh_token") {
            return try refresh(form, client, at: exchange.now)
        }
        throw .oauth("unsupported_grant_type", "Invalid grant_type: \(type)")
    }

    private func redeem(
        _ form: OAuthParameters, _ client: ClientDefinition, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        guard let code = form["code"] else {
            throw .oauth("invalid_request", "Missing required parameter: code")
        }
        if faults.take(.codeReused) != nil { throw codeFailure(.used) }
        if faults.take(.codeOfOtherClient) != nil { throw codeFailure(.client(client.id)) }
        if faults.take(.pkceMismatch) != nil { throw codeFailure(.verifier) }
        let key = Records.key(name, code)
        // Reads and marks the code in one transaction, so that of two concurrent requests only one
        // succeeds.
        let grant = try store.write(at: now) { records throws(OAuthError) in
            guard !code.utf8.contains(0),
                var grant = try records.get(.code, key).flatMap(TokenGrant.init(record:))
            else { throw codeFailure(.unknown) }
            try check(grant, form, client, at: now)
            guard try isAlive(grant, records) else { throw codeFailure(.expired) }
            grant.isUsed = true
            try records.put(.code, key, grant.record, until: now + Self.codeMemory)
            return grant
        }
        return try tokens(for: grant, withRefresh: grant.givesRefreshToken, at: now)
    }

    private func check(
        _ grant: TokenGrant, _ form: OAuthParameters, _ client: ClientDefinition, at now: Instant
    ) throws(OAuthError) {
        guard !grant.isUsed else { throw codeFailure(.used) }
        guard !grant.isOver(at: now) else { throw codeFailure(.expired) }
        guard grant.clientID.isSame(as: client.id) else { throw codeFailure(.client(client.id)) }
        let uri = form["redirect_uri"]
        switch (grant.redirectURI, uri) {
        case (let expected?, let uri?):
            guard expected.isSame(as: uri) else { throw codeFailure(.redirect(uri)) }
        case (.some, nil):
            throw .oauth("invalid_request", "Missing required parameter: redirect_uri")
        // The code was issued to an app without a redirect.
        case (nil, _): break
        }
        try checkVerifier(form["code_verifier"], grant.codeChallenge)
    }

    /// RFC 7636 sections 4.1 and 4.6.
    private func checkVerifier(_ verifier: String?, _ challenge: String?) throws(OAuthError) {
        switch (challenge, verifier) {
        case (nil, nil): return
        case (nil, .some):
            // Apple ignores unexpected parameters.
            guard kind != .apple else { return }
            throw .oauth("invalid_grant", "code_verifier or verifier is not needed")
        case (.some, nil): throw .oauth("invalid_grant", "Missing code verifier.")
        case (let challenge?, let verifier?):
            let isWellFormed =
                (43...128).contains(verifier.utf8.count)
                && verifier.utf8.allSatisfy {
                    $0.isLetterOrDigit
                        || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F || $0 == 0x7E
                }
            let hash = Base64URL.encode(SHA256.hash(utf8: verifier))
            guard isWellFormed, constantTimeEquals(Array(hash.utf8), Array(challenge.utf8)) else {
                throw codeFailure(.verifier)
            }
        }
    }

    private func refresh(
        _ form: OAuthParameters, _ client: ClientDefinition, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        guard let token = form["refresh_token"] else {
            throw .oauth("invalid_request", "Missing required parameter: refresh_token")
        }
        guard let grant = try grant(of: token), grant.kind == .refresh else {
            throw .oauth(
                "invalid_grant",
                kind == .google ? "Bad Request" : "The token has expired or has been revoked.")
        }
        guard grant.clientID.isSame(as: client.id) else {
            throw kind == .google
                ? .oauth("unauthorized_client", "Unauthorized", status: 401)
                : .oauth("invalid_grant", "The token was not issued to \(client.id).")
        }
        guard !grant.isOver(at: now), try isAlive(grant) else {
            throw .oauth(
                "invalid_grant",
                kind == .google
                    ? "Token has been expired or revoked."
                    : "The token has expired or has been revoked.")
        }
        return try tokens(for: grant, withRefresh: false, at: now)
    }

    /// RFC 6749 section 5.1.
    private func tokens(
        for grant: TokenGrant, withRefresh: Bool, at now: Instant
    ) throws(OAuthError) -> ServerResponse {
        let access = try keep(.access, grant, lifetime: Self.accessLifetime, at: now)
        let seconds = Self.accessLifetime.seconds
        var body: JSONObject = [
            "access_token": .string(access), "token_type": "Bearer",
            // Google reports one second less.
            "expires_in": .number(kind == .google ? seconds - 1 : seconds),
        ]
        if withRefresh {
            let refresh = try keep(.refresh, grant, lifetime: Self.refreshLifetime, at: now)
            body["refresh_token"] = .string(refresh)
        }
        let scopes = grant.consent.scopes
        switch kind {
        case .apple: break
        case .google: body["scope"] = .string(googleScopes(scopes))
        case .oidc: body["scope"] = .string(scopes.joined(separator: " "))
        }
        var plan = try plan(grant, at: now)
        // The `nonce` is only included in the token of the sign-in itself.
        plan.nonce = grant.kind == .code ? grant.nonce : nil
        plan.accessToken = access
        let isOpenID =
            kind != .google || plan.showsEmail || plan.showsName
            || scopes.contains { $0.isSame(as: "openid") }
        if isOpenID, faults.take(.idTokenMissing) == nil {
            body["id_token"] = .string(try idToken(plan))
        }
        return .json(.object(body), headers: [HTTPHeader("Pragma", "no-cache")])
    }

    private func keep(
        _ type: TokenGrant.Kind, _ grant: TokenGrant, lifetime: Span, at now: Instant
    ) throws(OAuthError) -> String {
        let prefix =
            switch (kind, type) {
            case (.apple, .access): "a"
            case (.apple, .refresh): "r"
            case (.google, .access): "ya29.a0"
            case (.google, .refresh): "1//0"
            case (.apple, .code), (.google, .code), (.oidc, _): ""
            }
        let token = secretName(prefix)
        let new = TokenGrant(
            type, clientID: grant.clientID, account: grant.account, consent: grant.consent,
            issuedAt: now, lifetime: lifetime)
        let key = Records.key(name, token)
        try store.write(at: now) { records throws(OAuthError) in
            try records.put(.token, key, new.record, until: new.expiresAt)
        }
        return token
    }

    /// The grant of an access or refresh token, active or not.
    func grant(of token: String) throws(OAuthError) -> TokenGrant? {
        guard !token.utf8.contains(0) else { return nil }
        let key = Records.key(name, token)
        return try store.read { records throws(OAuthError) in try records.get(.token, key) }
            .flatMap(TokenGrant.init(record:))
    }

    /// Whether the consent under which the token was issued still exists.
    func isAlive(_ grant: TokenGrant) throws(OAuthError) -> Bool {
        try store.read { records throws(OAuthError) in try isAlive(grant, records) }
    }

    private func isAlive(_ grant: TokenGrant, _ records: Records) throws(OAuthError) -> Bool {
        let key = Records.key(name, grant.clientID, grant.account.identity)
        let consent = try records.get(.consent, key).flatMap(Consent.init(record:))
        return consent?.grant.isSame(as: grant.consent.grant) ?? false
    }
}

extension Provider {
    private enum CodeProblem {
        case unknown, used, expired, verifier
        case client(String)
        case redirect(String)
    }

    /// The error in the provider's own words, where these are known.
    private func codeFailure(_ problem: CodeProblem) -> OAuthError {
        switch (problem, kind) {
        case (.verifier, _): .oauth("invalid_grant", "Invalid code verifier.")
        case (.redirect, .google), (.redirect, .oidc):
            .oauth("redirect_uri_mismatch", "Bad Request")
        case (.redirect(let uri), .apple):
            .oauth("invalid_grant", "redirect_uri mismatch. The code was not issued to \(uri).")
        case (.client(let id), .apple):
            .oauth("invalid_grant", "client_id mismatch. The code was not issued to \(id).")
        case (.used, .apple), (.used, .oidc):
            .oauth("invalid_grant", "The code has already been used.")
        case (.unknown, .apple), (.unknown, .oidc), (.expired, .apple), (.expired, .oidc):
            .oauth("invalid_grant", "The code has expired or has been revoked.")
        case (.client, .oidc): .oauth("invalid_grant", "The code is another client's.")
        case (.unknown, .google), (.used, .google), (.expired, .google), (.client, .google):
            .oauth("invalid_grant", "Bad Request")
        }
    }
}
