package import AuthDomain
internal import Bytes
package import JSON
internal import Time

/// Tells a resource server, or a client, whether a token is alive now (RFC 7662). A resource server
/// sees only tokens with itself as audience, and a client only its own tokens. Other tokens are
/// reported as not active.
package struct InspectToken: Sendable {
    let auth: AuthServices

    package func callAsFunction(
        _ token: String, from proven: ProvenClient
    ) throws(AuthError) -> JSON {
        let client = proven.client
        // A public client does not authenticate, so anyone could ask in its name.
        guard client.isConfidential else { throw .oauth(.invalidClient(.publicClient)) }
        let inactive: JSON = ["active": false]
        let own = client.introspects
        let audiences = own == nil ? try auth.oauth.audiences : [own].compactMap(\.self)
        if let claims = try auth.grantClaims(token, for: audiences) {
            guard let access = try access(by: claims, proven),
                client.introspects != nil || access.token.client.isSame(as: client.id)
            else { return inactive }
            return .object(Self.members(access, auth.issuer))
        }
        guard client.introspects == nil, let refresh = try auth.grantToken(token) else {
            try count(proven)
            return inactive
        }
        return try members(refresh, proven) ?? inactive
    }

    private func count(_ proven: ProvenClient) throws(AuthError) {
        let opening = try auth.open(
            .inspectToken, counting: [(.client, proven.client.id)], using: proven.use)
        try opening.admit()
    }

    private func access(
        by claims: GrantClaims, _ proven: ProvenClient
    ) throws(AuthError) -> GrantAccess? {
        let opening = try auth.open(
            .inspectToken, counting: [(.client, proven.client.id)],
            reading: claims.keys, using: proven.use)
        try opening.admit()
        return try auth.access(by: claims, opening.items)
    }

    private static func members(_ access: GrantAccess, _ issuer: String) -> JSONObject {
        let token = access.token
        var members: JSONObject = [
            "active": true, "scope": .string(token.scope.joined(separator: " ")),
            "client_id": .string(token.client),
            "sub": .string(access.owner?.user.id.text ?? token.client),
            "aud": .string(token.audience), "iss": .string(issuer),
            "exp": .number(token.expiresAt.seconds), "iat": .number(token.issuedAt.seconds),
            "jti": .string(token.id),
            "token_type": token.clientKey == nil ? "Bearer" : "DPoP",
        ]
        if let proof = access.owner?.session.proofs.latest {
            members["auth_time"] = .number(proof.provenAt.seconds)
            members["acr"] = .string(proof.strength.name)
        }
        members["act"] = token.actors.isEmpty ? nil : .actors(token.actors)
        members["cnf"] = token.clientKey.map { ["jkt": .string($0)] }
        return members
    }

    /// The members for a refresh token. Its client is accepted, because it has authenticated.
    private func members(
        _ token: GrantToken, _ proven: ProvenClient
    ) throws(AuthError) -> JSON? {
        let opening = try auth.open(
            .inspectToken, counting: [(.client, proven.client.id)],
            reading: try token.keys(from: proven.client.id, auth), using: proven.use)
        try opening.admit()
        let state = try GrantState(opening.items, token.place, auth)
        guard let (session, grant, user) = try state.alive(auth, at: auth.clock.now()),
            grant.client.isSame(as: proven.client.id), try token.isProven(by: session, auth: auth),
            token.place.generation == session.generation,
            try grant.clientEpoch == auth.clientEpoch(grant.client, opening.items)
        else { return nil }
        return [
            "active": true, "scope": .string(grant.scope.joined(separator: " ")),
            "client_id": .string(grant.client), "sub": .string(user.id.text),
            "iss": .string(auth.issuer), "exp": .number(session.expiresAt.seconds),
        ]
    }
}

extension AuthServices {
    package var inspectToken: InspectToken { InspectToken(auth: self) }
}

extension AuthOperation {
    package static let inspectToken = AuthOperation(
        "inspectToken", servedBy: "introspect", counting: [.client])
}
