internal import Time
package import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// Turns a bearer token into a person whose session is alive now.
///
/// Sign-out, revocation and disabling are visible at once because session and user are read, in
/// one read, each time (supabase#6702: "revoked user keeps working").
package struct Authenticate: Sendable {
    private let ground: Ground
    private let tokens: AccessTokens

    package init(_ ground: Ground, tokens: AccessTokens) {
        self.ground = ground
        self.tokens = tokens
    }

    package func callAsFunction(_ bearer: String?) throws(Problem) -> Principal {
        // 1. A token that we made, for this audience, not expired.
        guard let bearer else { throw .accessTokenMissing }
        let claims = try tokens.verify(bearer, at: ground.clock.now())

        // 2. Its session and its user, in one consistent read, and both of the epoch that the token
        //    was made in.
        let sessions = SessionReader(ground: ground)
        guard let (family, user) = try sessions.living(claims.session, of: claims.user),
            claims.epoch == user.epoch
        else { throw .accessTokenRejected(.sessionEnded) }

        // 3. Nobody disabled.
        guard !user.isDisabled else { throw .accountDisabled }
        return Principal(user: user, session: family)
    }
}

/// Somebody who has proved who they are.
package struct Principal: Equatable, Sendable {
    package let user: User
    package let session: SessionFamily
}
