package import AuthDomain
internal import Bytes
internal import JSON

/// A client's request that signs a person out and perhaps sends them back (OpenID Connect
/// RP-Initiated Logout 1.0 section 2).
package struct LogoutRequest: Sendable {
    /// nil if the request names none.
    package let client: Client?
    /// An ID token that was issued to the client. Without it, anybody can have made the request.
    package let hint: IdentityHint?
    /// The requested redirect URI, which is one of the client's.
    package let redirectURI: String?
    package let state: String?

    /// Where the browser goes after the sign-out.
    package var target: String? {
        guard let redirectURI, let state else { return redirectURI }
        let mark = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return redirectURI + mark + PercentEncoding.form([("state", state)])
    }
}

extension AuthServices {
    private static let logoutStateBytesMax = 2048

    /// Throws for an address that is not the client's: the user is then neither signed out nor
    /// redirected (section 3).
    package func logoutRequest(
        _ read: RequestParameters, _ caller: Caller
    ) throws(AuthError) -> LogoutRequest {
        guard !read.hasRepeated(except: []) else {
            throw .oauth(.invalidRequest("A parameter is repeated."))
        }
        if let state = read["state"], state.utf8.count > Self.logoutStateBytesMax {
            throw .oauth(.invalidRequest("state is too long."))
        }
        // An ID token that cannot be verified, perhaps because its key was removed, is ignored.
        var hint: IdentityHint?
        var id = read["client_id"]
        if let text = read["id_token_hint"], let audience = Self.audience(of: text) {
            hint = try identityHint(text, to: audience)
            if hint != nil {
                guard id.map({ $0.isSame(as: audience) }) ?? true else {
                    throw .oauth(
                        .invalidRequest("client_id differs from the audience of id_token_hint."))
                }
                id = audience
            }
        }
        let client = try id.flatMap { id throws(AuthError) in try self.client(id, for: caller) }
        guard client != nil || id == nil || hint != nil else {
            throw .oauth(.invalidClient(.unknown))
        }
        let redirectURI = read["post_logout_redirect_uri"]
        if let redirectURI, client?.accepts(logoutRedirectURI: redirectURI) != true {
            logFacts.values.unlistedAddress = client.map { UnlistedAddress(redirectURI, of: $0) }
            throw .oauth(.invalidRequest(Self.logoutRule(client, read)))
        }
        return LogoutRequest(
            client: client, hint: hint, redirectURI: redirectURI, state: read["state"])
    }

    /// Why the request may not name an address to return to.
    private static func logoutRule(_ client: Client?, _ read: RequestParameters) -> StaticText {
        if client != nil { return "post_logout_redirect_uri is not registered." }
        return read["id_token_hint"] == nil
            ? "post_logout_redirect_uri needs id_token_hint or client_id."
            : "id_token_hint cannot be read, or is not of this server."
    }

    /// Whether the ID token was issued to the client in the browser's session.
    ///
    /// - Parameter refreshToken: the browser's refresh token.
    package func isHint(
        _ hint: IdentityHint, of refreshToken: String
    ) throws(AuthError) -> Bool {
        guard case .placed(let place, _, _) = try refreshTokens.read(refreshToken) else {
            return false
        }
        return place.user == hint.user && place.session == hint.session
    }

    /// The audience, read before the token is verified.
    private static func audience(of token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(bytes, limits: .request)
        else { return nil }
        return claims["aud"]?.stringValue
    }
}

extension AuthOperation {
    package static let endSession = AuthOperation(
        "endSession", servedBy: "ui", counting: [], audited: .others)
    package static let confirmEndSession = AuthOperation(
        "confirmEndSession", servedBy: "ui", counting: [], audited: .others)
}
