package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JOSE
internal import JSON
internal import KeyValueStore
package import Time

/// What a client's access token says of itself.
package struct ClientToken: Equatable, Sendable {
    /// The client that has it.
    package let client: String
    package let scope: [String]
    package let audience: String
    package let id: String
    package let issuedAt: Instant
    package let expiresAt: Instant
    /// The thumbprint of the key to which it is bound.
    package let clientKey: String?

    /// RFC 9068 section 2.1.
    static let type = "at+jwt"
}

/// An access token of a client that is alive now.
package struct GrantAccess: Equatable, Sendable {
    package let token: ClientToken
    /// Whose grant it is; nil for a token that the client has for itself.
    package let owner: Owner?

    package struct Owner: Equatable, Sendable {
        package let user: User
        package let session: Session
        package let grant: ClientGrant
    }
}

/// The claims of a client's access token, verified but for whether its grant is alive.
struct GrantClaims {
    let token: ClientToken
    /// nil for a token that the client has for itself.
    let place: Place?

    struct Place {
        let user: UserID
        let session: SessionID
    }

    /// What says whether the token is alive: its grant, and its client.
    var keys: [ItemKey] {
        (place.map { GrantState.keys($0.session, of: $0.user) } ?? [])
            + (ClientID.isOurs(token.client) ? [StoreLayout.client(token.client)] : [])
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
            issuers: [issuer], audiences: audiences, types: [ClientToken.type], now: now,
            leeway: AccessTokens.leeway, requires: ["client_id", "scope", "jti", "iat"])
        expectations.issueLeeway = AccessTokens.issueLeeway
        guard let (token, algorithm) = try verified(text, expectations),
            // One audience, as every token of ours has (RFC 9068 section 3).
            let audience = token.claims["aud"]?.stringValue,
            try oauth.algorithm(for: audience) == algorithm,
            let client = token.claims["client_id"]?.stringValue,
            let scope = token.claims["scope"]?.stringValue,
            let id = token.claims["jti"]?.stringValue,
            let issuedAt = token.issuedAt, let expiresAt = token.expiresAt,
            let place = Self.place(of: token, client)
        else { return nil }
        // An unreadable binding must not be treated as no binding.
        let binding = token.claims["cnf"].map { $0["jkt"]?.stringValue }
        if case .some(nil) = binding { return nil }
        return GrantClaims(
            token: ClientToken(
                client: client, scope: scope.split(separator: " ").map(String.init),
                audience: audience, id: id, issuedAt: issuedAt, expiresAt: expiresAt,
                clientKey: binding ?? nil),
            place: place)
    }

    /// The grant that a token names. The subject of a token without one is its client (RFC 9068
    /// section 2.2), whose ID is never a user's.
    ///
    /// - Returns: nil for a token that is neither.
    private static func place(of token: VerifiedToken, _ client: String) -> GrantClaims.Place?? {
        guard let subject = token.subject else { return nil }
        guard let session = token.claims["sid"] else {
            return subject.isSame(as: client) ? .some(nil) : nil
        }
        guard let user = UserID(parsing: subject),
            let session = session.stringValue.flatMap(SessionID.init(parsing:))
        else { return nil }
        return GrantClaims.Place(user: user, session: session)
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
        let token = claims.token
        guard let place = claims.place else {
            return try mayStillHave(token, items) ? GrantAccess(token: token, owner: nil) : nil
        }
        let state = try GrantState(items, place.session, of: place.user)
        guard let (session, grant, user) = try state.alive(self, at: clock.now()),
            grant.client.isSame(as: token.client), try accepts(token.client, items)
        else { return nil }
        return GrantAccess(
            token: token,
            owner: GrantAccess.Owner(user: user, session: session, grant: grant))
    }

    /// Whether the client could get a token that it has for itself again: there is no grant that
    /// could end.
    private func mayStillHave(
        _ token: ClientToken, _ items: ReadItems
    ) throws(AuthError) -> Bool {
        let oauth = try oauth
        guard let client = try describedClient(token.client, items) else { return false }
        return client.mayUse(.clientCredentials) && oauth.isOpen(token.audience, to: client)
            && token.scope.allSatisfy { oauth.isKnown($0, to: client) }
    }
}
