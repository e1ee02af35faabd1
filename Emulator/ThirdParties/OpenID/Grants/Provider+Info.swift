internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JOSE
internal import JSON
internal import Time

extension Provider {
    /// The UserInfo endpoint (OpenID Connect Core 1.0 section 5.3).
    func userInfo(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let challenge = [HTTPHeader("WWW-Authenticate", "Bearer realm=\"\(name)\"")]
        guard let token = try bearer(exchange) else {
            throw .oauth(
                "invalid_request", "Missing required parameter: access_token", status: 401,
                headers: challenge)
        }
        guard let grant = try grant(of: token), grant.kind == .access,
            !grant.isOver(at: exchange.now), try isAlive(grant)
        else {
            throw .oauth("invalid_token", "Invalid Credentials", status: 401, headers: challenge)
        }
        let plan = try plan(grant, at: exchange.now)
        var claims = plan.claims(definition, named: issuer)
        for name in ["iss", "aud", "azp", "iat", "exp"] { claims[name] = nil }
        return .now(.json(.object(claims)))
    }

    /// RFC 6750 sections 2.1 and 2.2.
    private func bearer(_ exchange: OpenIDRequest) throws(OAuthError) -> String? {
        if let header = exchange.request.header("authorization") {
            guard header.utf8.prefix(7).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) else {
                return nil
            }
            return String(Substring(header.utf8.dropFirst(7)))
        }
        guard exchange.request.method == "POST", exchange.isForm else { return nil }
        return try exchange.form()["access_token"]
    }

    /// Google's tokeninfo endpoint: the claims of a token.
    func tokenInfo(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let isForm = exchange.request.method == "POST" && exchange.isForm
        let parameters = try isForm ? exchange.form() : exchange.query()
        if let token = parameters["id_token"] {
            return .now(.json(.object(try idTokenInfo(token, at: exchange.now))))
        }
        if let token = parameters["access_token"] {
            return .now(.json(.object(try accessTokenInfo(token, at: exchange.now))))
        }
        throw .oauth("invalid_request", "Either access_token, id_token, or token_handle required")
    }

    /// All values are strings in this response.
    private func idTokenInfo(_ token: String, at now: Instant) throws(OAuthError) -> JSONObject {
        let invalid = OAuthError.oauth("invalid_token", "Invalid Value")
        guard let keys = try? KeySet(keys.published().map(\.verificationKey)),
            let verified = try? JWS.verify(token, keys: keys),
            let claims = (try? JSON.parse(verified.payload, limits: .request))?.objectValue,
            let expires = claims["exp"]?.int64Value, now < Instant(seconds: expires)
        else { throw invalid }
        var info = JSONObject()
        for (name, value) in claims.members + verified.header.members {
            info[name] = .string(value.stringValue ?? value.text)
        }
        return info
    }

    private func accessTokenInfo(_ token: String, at now: Instant) throws(OAuthError) -> JSONObject
    {
        guard let grant = try grant(of: token), grant.kind == .access, !grant.isOver(at: now),
            try isAlive(grant)
        else { throw .oauth("invalid_token", "Invalid Value") }
        let plan = try plan(grant, at: now)
        let end = grant.expiresAt
        var info: JSONObject = [
            "azp": .string(grant.clientID), "aud": .string(grant.clientID),
            "sub": .string(plan.account.subject(definition, teamID: nil)),
            "scope": .string(googleScopes(grant.consent.scopes)),
            "exp": .string(String(end.seconds)),
            "expires_in": .string(String((end - now).seconds)),
        ]
        if plan.showsEmail {
            info["email"] = .string(plan.account.email)
            info["email_verified"] = .string(String(plan.account.isEmailVerified))
        }
        info["access_type"] = grant.consent.isOffline ? "offline" : "online"
        return info
    }
}
