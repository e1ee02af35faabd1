package import AuthDomain
internal import Bytes
internal import Time

/// Gives a client an access token for itself (OAuth 2.1 section 4.2): no user takes part, so there
/// is no ID token, no refresh token and nothing to keep. It lives until its end, and only as long
/// as the client may have it (`AuthServices.access`).
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
        return try signer.ownToken(
            for: audience, words, boundTo: try auth.keyToBind(caller), at: auth.clock.now())
    }

    /// One server, and words of its own: those of OpenID Connect are about a user.
    private func target(
        _ asked: RequestParameters, of client: Client
    ) throws(AuthError) -> (audience: String, words: [String]) {
        let oauth = try auth.oauth
        let isNamed = asked["scope"] != nil
        do throws(OAuthError) {
            var scope = try AuthorizationRequest.scope(asked, of: client, oauth)
            if !isNamed { scope = scope.filter { !StandardScope.isOne($0) } }
            let resources = try AuthorizationRequest.resources(asked, scope, of: client, oauth)
            guard resources.count == 1 else { throw .invalidTarget(nil) }
            let words = oauth.words(of: scope, for: resources[0])
            if isNamed, let other = scope.first(where: { !words.contains($0) }) {
                throw .invalidScope(RepeatedText(other))
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
