internal import AuthDomain
internal import Bytes

/// Authorises a client's request to a resource, for an API gateway. The token must be for exactly
/// that resource, and its grant must be alive.
package struct AuthorizeGrant: Sendable {
    /// The resource behind the gateway, and the scopes that each of its requests needs.
    package struct Requirement: Equatable, Sendable {
        package let resource: String
        package let scopes: [String]

        package init(resource: String, scopes: [String]) {
            self.resource = resource
            self.scopes = scopes
        }
    }

    let auth: AuthServices

    /// Throws for errors that say nothing about the caller, like `Authorize`.
    package func callAsFunction(
        _ caller: Caller, for requirement: Requirement, mode: Authorize.Mode
    ) throws(AuthError) -> Authorize.Decision {
        if caller.bearer == .none, mode == .optional { return .allowed(nil) }
        do {
            let access = try access(caller, to: requirement.resource)
            let isEnough = requirement.scopes.allSatisfy { word in
                access.token.scope.contains { $0.isSame(as: word) }
            }
            return isEnough ? .allowedClient(access) : .insufficientScope
        } catch {
            guard case .accessToken = error else { throw error }
            return .refused(error)
        }
    }

    private func access(
        _ caller: Caller, to resource: String
    ) throws(AuthError) -> GrantAccess {
        // 1. Verify the token, and the proof of the key to which it is bound.
        let text: String
        switch caller.bearer {
        case .none, .malformed: throw .accessToken(.missing)
        case .token(let token), .bound(let token): text = token
        }
        guard let claims = try auth.grantClaims(text, for: [resource]) else {
            throw .accessToken(.invalid)
        }
        try auth.requireProof(of: claims, text, caller)
        if claims.token.clientKey == nil, try auth.oauth.resource(resource)?.requiresProof == true {
            throw .accessToken(.proofRequired)
        }

        // 2. Read its grant and user, or client. Nothing is counted; see `AuthOperation.authorize`.
        let opening = try auth.open(
            .authorize, counting: [], reading: claims.keys, provenBy: caller.key)
        guard let access = try auth.access(by: claims, opening.items) else {
            throw .accessToken(.sessionEnded)
        }
        return access
    }
}

extension AuthServices {
    package var authorizeGrant: AuthorizeGrant { AuthorizeGrant(auth: self) }
}
