internal import AuthDomain
internal import Bytes
internal import JOSE
internal import Time

extension AuthServices {
    /// The user whom a client expects to be signed in, by an ID token that it was given (OpenID
    /// Connect Core section 3.1.2.1). One that has expired says so all the same.
    func hintedUser(_ hint: String, to client: Client) throws(AuthError) -> UserID {
        let now = clock.now()
        let expectations = TokenExpectations(
            issuers: [issuer], audiences: [client.id], types: ["JWT"], now: now,
            // The expiry does not matter.
            leeway: .days(100_000))
        for keys in try oauth.idTokenKeys.values {
            let known = try keys.verificationKeys(at: now)
            if let token = try? JWT.verify(hint, keys: known, expecting: expectations),
                let user = token.subject.flatMap(UserID.init(parsing:))
            {
                return user
            }
        }
        throw .oauth(.invalidRequest("id_token_hint is no ID token of this client."))
    }
}
