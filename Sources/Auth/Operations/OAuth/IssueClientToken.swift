package import AuthDomain
internal import Bytes
internal import Time

/// Issues an access token to a client for itself (OAuth 2.1 section 4.2). Without a user there is
/// no ID token, no refresh token, and nothing to store. The token is valid until it expires, if the
/// client may still have it (`AuthServices.access`).
package struct IssueClientToken: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ asked: RequestParameters, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> GrantTokens {
        let (client, opening) = try auth.open(
            .issueClientToken, as: .clientCredentials, by: credentials, caller)
        try opening.admit()
        let (audience, words) = try target(asked, of: client)
        let signer = try GrantSigner(
            auth, for: client, .issueClientToken, caller, identifies: false)
        let tokens = try signer.ownToken(
            for: audience, words, boundTo: try auth.keyToBind(caller), at: auth.clock.now())
        auth.logFacts.values.client = client.id
        return tokens
    }

    /// The target must be a single server with scopes of its own. The scopes of OpenID Connect are
    /// about a user, so they are refused.
    private func target(
        _ asked: RequestParameters, of client: Client
    ) throws(AuthError) -> (audience: String, words: [String]) {
        let oauth = try auth.oauth
        let isNamed = asked["scope"] != nil
        do throws(OAuthError) {
            var scope = try AuthorizationRequest.scope(asked, of: client, oauth)
            if !isNamed { scope = scope.filter { !StandardScope.isOne($0) } }
            let resources = try AuthorizationRequest.resources(asked, scope, of: client, oauth)
            guard resources.count == 1 else { throw .targetMissing }
            let words = oauth.words(of: scope, for: resources[0])
            if isNamed, let other = scope.first(where: { !words.contains($0) }) {
                throw .invalidScope(RepeatedText(other), .notOfResource)
            }
            if asked["resource"] == nil {
                auth.logFacts.values.scopesLeftOut = scope.filter { !words.contains($0) }
            }
            return (resources[0], words)
        } catch {
            throw .oauth(error)
        }
    }
}

extension AuthServices {
    package var issueClientToken: IssueClientToken { IssueClientToken(auth: self) }
}

extension AuthOperation {
    package static let issueClientToken = AuthOperation(
        "issueClientToken", servedBy: "token", counting: [.client])
}
