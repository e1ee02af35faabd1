package import AuthDomain
internal import Bytes
package import JSON
internal import Time

/// Tells a client who the user is, as far as the user has allowed that (OpenID Connect Core section
/// 5.3). Only tokens whose audience is this server are accepted, so that a resource server cannot
/// use the tokens that it receives to learn more about its callers.
package struct DescribeUser: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ caller: Caller
    ) throws(AuthError) -> JSON {
        // 1. Verify the token, and the proof of the key to which it is bound.
        let text: String
        switch caller.bearer {
        case .none, .malformed: throw .accessToken(.missing)
        case .token(let token), .bound(let token): text = token
        }
        guard let claims = try auth.grantClaims(text, for: [auth.issuer]), claims.place != nil
        else {
            let others = try auth.oauth.resources.map(\.uri)
            guard try auth.grantClaims(text, for: others) == nil else {
                throw .oauth(.tokenOfOtherServer)
            }
            throw .accessToken(.invalid)
        }
        try auth.requireProof(of: claims, text, caller)

        // 2. Read the grant and its user.
        let opening = try auth.open(
            .describeUser, counting: [],
            reading: claims.keys, provenBy: caller.key)
        guard let access = try auth.access(by: claims, opening.items), let owner = access.owner
        else { throw .accessToken(.sessionEnded) }
        guard access.token.scope.contains(StandardScope.openid.rawValue) else {
            throw .oauth(.insufficientScope("openid"))
        }
        return .object(try description(of: owner, by: access.token, caller))
    }

    /// Adds the application's claims. A claim of our own replaces an added claim of the same name.
    private func description(
        of owner: GrantAccess.Owner, by token: ClientToken, _ caller: Caller
    ) throws(AuthError) -> JSONObject {
        let own = Self.claims(of: owner, token.scope)
        guard auth.hooks?.has(.token) ?? false, let client = try auth.client(token.client)
        else { return own }
        let hook = GrantHook(auth, client, .describeUser, caller)
        var claims = try hook.claims(
            of: .userinfo, for: owner.user, owner.session, audience: token.audience,
            token.scope, nil
        ).members
        for claim in own.members { claims[claim.name] = claim.value }
        return claims
    }

    /// The claims of the scopes, and the claims that the client has requested by name.
    private static func claims(
        of owner: GrantAccess.Owner, _ scope: [String]
    ) -> JSONObject {
        let asked = UserClaim.allCases.filter { claim in
            scope.contains(claim.scope.rawValue) || owner.grant.claims.userinfo.contains(claim)
        }
        var claims: JSONObject = ["sub": .string(owner.user.id.text)]
        for claim in owner.user.claims(asked).members { claims[claim.name] = claim.value }
        return claims
    }
}

extension User {
    /// Unknown claims are left out.
    func claims(_ asked: [UserClaim]) -> JSONObject {
        var claims = JSONObject()
        for claim in asked {
            claims[claim.rawValue] =
                switch claim {
                case .name: displayName.map { .string($0) }
                case .email: email.map { .string($0) }
                case .isEmailVerified: email.map { _ in .bool(isEmailVerified) }
                }
        }
        return claims
    }
}

extension AuthServices {
    package var describeUser: DescribeUser { DescribeUser(auth: self) }

    /// No downgrade (RFC 9449 section 7.2): a bound token is not accepted as a bearer token.
    func requireProof(
        of claims: GrantClaims, _ text: String, _ caller: Caller
    ) throws(AuthError) {
        guard case .bound = caller.bearer else {
            guard claims.token.clientKey == nil else { throw .accessToken(.proofRequired) }
            return
        }
        guard let key = caller.key else { throw .accessToken(.proofRequired) }
        guard let bound = claims.token.clientKey, bound.isSame(as: key.thumbprint),
            key.covers(accessToken: text)
        else { throw .accessToken(.proofRefused) }
    }
}

extension AuthOperation {
    package static let describeUser = AuthOperation(
        "describeUser", servedBy: "userinfo", counting: [])
}
