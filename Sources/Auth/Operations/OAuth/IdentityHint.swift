package import AuthDomain
internal import Bytes
internal import JOSE
internal import JSON
internal import Time

extension AuthServices {
    /// The user whom a client expects to be signed in, from an ID token that was issued to the
    /// client (OpenID Connect Core section 3.1.2.1). The ID token may have expired.
    func hintedUser(_ hint: String, to client: Client) throws(AuthError) -> UserID {
        guard let hint = try identityHint(hint, to: client.id) else {
            throw .oauth(.invalidRequest("id_token_hint is not an ID token of this client."))
        }
        return hint.user
    }

    /// nil unless the text is an ID token of the client.
    func identityHint(_ text: String, to client: String) throws(AuthError) -> IdentityHint? {
        let now = clock.now()
        let expectations = TokenExpectations(
            issuers: [issuer], audiences: [client], types: ["JWT"], now: now,
            // Accepts expired tokens.
            leeway: .days(100_000))
        for keys in try oauth.idTokenKeys.values {
            let known = try keys.verificationKeys(at: now)
            if let token = try? JWT.verify(text, keys: known, expecting: expectations),
                let user = token.subject.flatMap(UserID.init(parsing:))
            {
                let session = token.claims["sid"]?.stringValue.flatMap(SessionID.init(parsing:))
                return IdentityHint(user: user, session: session)
            }
        }
        return nil
    }
}

/// The claims of an ID token about a browser's session.
package struct IdentityHint: Equatable, Sendable {
    package let user: UserID
    package let session: SessionID?
}
