package import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JOSE
internal import JSON
internal import KeyValueStore
package import Time

/// The claims of a client's access token.
package struct ClientToken: Equatable, Sendable {
    /// The client to which the token was issued.
    package let client: String
    package let scope: [String]
    package let audience: String
    package let id: String
    package let issuedAt: Instant
    package let expiresAt: Instant
    /// The thumbprint of the key to which the token is bound.
    package let clientKey: String?
    /// The clients that have exchanged the token, the latest first (RFC 8693 section 4.1).
    package let actors: [String]
    /// The only client that may exchange the token (RFC 8693 section 4.4); empty if none may.
    let mayAct: String?

    /// The token's type (RFC 9068 section 2.1).
    static let type = "at+jwt"
    /// The maximum number of exchanges that lead to a token.
    static let actorsMax = 4
}

/// A client's access token that is currently valid.
package struct GrantAccess: Equatable, Sendable {
    package let token: ClientToken
    /// The grant's owner; nil for a token that the client has for itself.
    package let owner: Owner?

    package struct Owner: Equatable, Sendable {
        package let user: User
        package let session: Session
        package let grant: ClientGrant
    }
}

/// The verified claims of a client's access token. Whether its grant is alive is not known yet.
struct GrantClaims {
    let token: ClientToken
    /// nil for a token that the client has for itself.
    let place: Place?
    /// The keys of the rows of the clients that the token names.
    fileprivate let clientKeys: [ItemKey]

    struct Place {
        let user: UserID
        let session: SessionID
    }

    /// The keys of the rows that decide whether the token is alive: the rows of its grant and
    /// clients.
    var keys: [ItemKey] {
        (place.map { GrantState.keys($0.session, of: $0.user) } ?? []) + clientKeys
    }
}

extension AuthServices {
    /// nil unless the text is a valid token of a client. A token of a user's own session is not,
    /// because its audience is neither a resource nor the issuer.
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
            // Our tokens have a single audience (RFC 9068 section 3).
            let audience = token.claims["aud"]?.stringValue,
            try oauth.algorithm(for: audience) == algorithm,
            let client = token.claims["client_id"]?.stringValue,
            let scope = token.claims["scope"]?.stringValue,
            let id = token.claims["jti"]?.stringValue,
            let issuedAt = token.issuedAt, let expiresAt = token.expiresAt,
            let place = Self.place(of: token, client),
            let actors = Self.actors(of: token.claims["act"])
        else { return nil }
        // An unreadable binding must not be treated as no binding.
        let binding = token.claims["cnf"].map { $0["jkt"]?.stringValue }
        if case .some(nil) = binding { return nil }
        let known = ClientToken(
            client: client, scope: scope.split(separator: " ").map(String.init),
            audience: audience, id: id, issuedAt: issuedAt, expiresAt: expiresAt,
            clientKey: binding ?? nil, actors: actors,
            mayAct: token.claims["may_act"].map { $0["sub"]?.stringValue ?? "" })
        return GrantClaims(token: known, place: place, clientKeys: try clientKeys(of: known))
    }

    private func clientKeys(of token: ClientToken) throws(AuthError) -> [ItemKey] {
        guard !token.actors.isEmpty else {
            return [try clientEpochKey(token.client)].compactMap(\.self)
        }
        var keys: [ItemKey] = []
        for actor in token.actors {
            guard try oauth.client(actor) == nil, try oauth.mayStore(actor) else { continue }
            let key = StoreLayout.client(actor)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// The grant that a token names. In a token without a grant, the subject is the client (RFC
    /// 9068 section 2.2), whose ID is never a user's.
    ///
    /// - Returns: nil if the token names neither a grant nor its client.
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

    /// - Parameter act: the claim, in which each actor contains the previous one.
    /// - Returns: nil if the claim cannot be read.
    private static func actors(of act: JSON?) -> [String]? {
        var (actors, next) = ([String](), act)
        while let one = next {
            guard let subject = one["sub"]?.stringValue, actors.count < ClientToken.actorsMax
            else { return nil }
            actors.append(subject)
            next = one["act"]
        }
        return actors
    }

    /// Verifies a token with the keys of its algorithm.
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
                // The token may be signed with a newer key than this process knows.
                guard source.forgetForUnknownKey(at: expectations.now) else { return nil }
            } catch {
                return nil
            }
        }
        return nil
    }

    /// nil if the grant has ended, or its client is no longer accepted.
    ///
    /// - Parameter items: the rows with the claims' keys.
    func access(
        by claims: GrantClaims, _ items: ReadItems
    ) throws(AuthError) -> GrantAccess? {
        let token = claims.token
        guard let place = claims.place else {
            return try mayStillHave(token, items) ? GrantAccess(token: token, owner: nil) : nil
        }
        let state = try GrantState(items, place.session, of: place.user)
        guard let (session, grant, user) = try state.alive(self, at: clock.now()),
            try mayHold(token, of: grant, items)
        else { return nil }
        return GrantAccess(
            token: token,
            owner: GrantAccess.Owner(user: user, session: session, grant: grant))
    }

    /// Whether the grant's client, and each client that has exchanged the token, is accepted now.
    private func mayHold(
        _ token: ClientToken, of grant: ClientGrant, _ items: ReadItems
    ) throws(AuthError) -> Bool {
        guard let latest = token.actors.first else {
            guard grant.client.isSame(as: token.client) else { return false }
            return try accepts(grant, items)
        }
        let oauth = try oauth
        guard latest.isSame(as: token.client), let client = try describedClient(latest, items),
            oauth.isOpen(token.audience, to: client)
        else { return false }
        for actor in token.actors {
            guard try describedClient(actor, items)?.mayUse(.tokenExchange) ?? false else {
                return false
            }
        }
        // The client's name is in the grant only, so it was not read.
        guard let key = try clientEpochKey(grant.client) else { return false }
        return try accepts(grant, items.contains(key) ? items : store.get([key]))
    }

    /// Whether the client could still get a token for itself: such a token has no grant that could
    /// end.
    private func mayStillHave(
        _ token: ClientToken, _ items: ReadItems
    ) throws(AuthError) -> Bool {
        let oauth = try oauth
        guard let client = try describedClient(token.client, items),
            try clientEpoch(client.id, items) < token.issuedAt.milliseconds
        else { return false }
        return client.mayUse(.clientCredentials) && oauth.isOpen(token.audience, to: client)
            && token.scope.allSatisfy { oauth.isKnown($0, to: client) }
    }
}
