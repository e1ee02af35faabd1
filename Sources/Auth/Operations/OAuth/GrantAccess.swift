package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JOSE
internal import JSON
internal import KeyValueStore
package import Time

/// An access token of a client's grant that is alive now.
package struct GrantAccess: Equatable, Sendable {
    package let user: User
    package let session: Session
    package let grant: ClientGrant
    package let scope: [String]
    package let audience: String
    package let tokenID: String
    package let issuedAt: Instant
    package let expiresAt: Instant
    /// The thumbprint of the key to which it is bound.
    package let clientKey: String?

    /// RFC 9068 section 2.1.
    static let tokenType = "at+jwt"
}

/// The claims of a client's access token, verified but for whether its grant is alive.
struct GrantClaims {
    let user: UserID
    let session: SessionID
    let client: String
    let scope: [String]
    let audience: String
    let tokenID: String
    let issuedAt: Instant
    let expiresAt: Instant
    let clientKey: String?

    /// What says whether the grant is alive, and its client accepted.
    var keys: [ItemKey] {
        GrantState.keys(session, of: user)
            + (ClientID.isOurs(client) ? [StoreLayout.client(client)] : [])
    }
}

extension AuthServices {
    /// nil for every other token, those of users' own sessions included: their audience is neither
    /// a resource nor the issuer.
    ///
    /// - Parameter audiences: the only audiences that are accepted.
    func grantClaims(
        _ text: String, for audiences: [String]
    ) throws(AuthError) -> GrantClaims? {
        let now = clock.now()
        var expectations = TokenExpectations(
            issuers: [issuer], audiences: audiences, types: [GrantAccess.tokenType], now: now,
            leeway: AccessTokens.leeway, requires: ["client_id", "scope", "jti", "iat"])
        expectations.issueLeeway = AccessTokens.issueLeeway
        guard let (token, algorithm) = try verified(text, expectations),
            // One audience, as every token of ours has (RFC 9068 section 3).
            let audience = token.claims["aud"]?.stringValue,
            try oauth.algorithm(for: audience) == algorithm,
            let user = token.subject.flatMap(UserID.init(parsing:)),
            let session = token.claims["sid"]?.stringValue.flatMap(SessionID.init(parsing:)),
            let client = token.claims["client_id"]?.stringValue,
            let scope = token.claims["scope"]?.stringValue,
            let id = token.claims["jti"]?.stringValue,
            let issuedAt = token.issuedAt, let expiresAt = token.expiresAt
        else { return nil }
        // An unreadable binding must not be treated as no binding.
        let binding = token.claims["cnf"].map { $0["jkt"]?.stringValue }
        if case .some(nil) = binding { return nil }
        return GrantClaims(
            user: user, session: session, client: client,
            scope: scope.split(separator: " ").map(String.init), audience: audience,
            tokenID: id, issuedAt: issuedAt, expiresAt: expiresAt, clientKey: binding ?? nil)
    }

    /// With the algorithm of the key that has signed it.
    private func verified(
        _ text: String, _ expectations: TokenExpectations
    ) throws(AuthError) -> (VerifiedToken, Algorithm)? {
        let oauth = try oauth
        guard let token = try? CompactToken(parsing: text),
            let algorithm = oauth.idTokenAlgorithms.first(where: token.isSigned(with:))
        else { return nil }
        let source = oauth.keys(algorithm) ?? signingKeys
        for _ in 0..<2 {
            let keys = try source.verificationKeys(at: expectations.now)
            do {
                return (try JWT.verify(token, keys: keys, expecting: expectations), algorithm)
            } catch TokenFailure.unknownKeyID {
                // It may be signed with a key that is newer than what this process knows.
                guard source.forgetForUnknownKey(at: expectations.now) else { return nil }
            } catch {
                return nil
            }
        }
        return nil
    }

    /// nil if the grant has ended, or its client is not accepted any more.
    ///
    /// - Parameter items: of the claims' keys.
    func access(
        by claims: GrantClaims, _ items: ReadItems
    ) throws(AuthError) -> GrantAccess? {
        let state = try GrantState(items, claims.session, of: claims.user)
        guard let (session, grant, user) = try state.alive(self, at: clock.now()),
            grant.client.isSame(as: claims.client), try accepts(claims.client, items)
        else { return nil }
        return GrantAccess(
            user: user, session: session, grant: grant, scope: claims.scope,
            audience: claims.audience, tokenID: claims.tokenID, issuedAt: claims.issuedAt,
            expiresAt: claims.expiresAt, clientKey: claims.clientKey)
    }
}
