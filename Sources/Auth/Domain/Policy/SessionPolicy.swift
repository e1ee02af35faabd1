package import Time

/// How long sessions live, and what refreshing one does.
package struct SessionPolicy: Equatable, Sendable {
    /// A session that is not refreshed for this long has ended.
    package var idleLifetime: Span
    /// A session ends at this age, however often it is refreshed (ASVS 5.0, 7.3.2).
    package var absoluteLifetime: Span
    package var rotation: Rotation
    package var reuseScope: ReuseScope
    package var refreshTokens: RefreshTokenForm
    /// A sign-in beyond this many sessions of one account ends the least recently used one.
    package var sessionsMax: Int

    package init(
        idleLifetime: Span, absoluteLifetime: Span, rotation: Rotation,
        reuseScope: ReuseScope = .family, refreshTokens: RefreshTokenForm, sessionsMax: Int = 100
    ) {
        self.idleLifetime = idleLifetime
        self.absoluteLifetime = absoluteLifetime
        self.rotation = rotation
        self.reuseScope = reuseScope
        self.refreshTokens = refreshTokens
        self.sessionsMax = sessionsMax
    }
}

/// What a refresh does to the refresh token.
package enum Rotation: Equatable, Sendable {
    /// Each refresh replaces it. For the grace period, and while the successor is unused, the
    /// replaced token is answered with the same successor: a client whose answer was lost, or that
    /// refreshed twice in parallel, keeps its session. A grace period of zero has no such window.
    case everyUse(grace: Span)
    /// The same token is good for the whole life of the session.
    case never
}

/// Which sessions end when a replaced refresh token is presented again.
package enum ReuseScope: Equatable, Sendable {
    /// The session that the token belongs to (RFC 9700 section 4.14.2).
    case family
    /// Every session of the user.
    case user
}

/// What refresh tokens look like to clients.
package enum RefreshTokenForm: Equatable, Sendable {
    /// `<prefix>` and 80 characters that name user, session and generation under two MACs: nothing
    /// is stored for a token, and a forged one is refused before the store is asked.
    case selfContained(prefix: String)
    /// `<prefix>` and 43 characters of base64url, found in the store by its hash.
    case opaque(prefix: String)
    /// A version 4 UUID, found in the store by its hash.
    case uuid
    /// A JWT (HS256) with this `typ`, which names user, session and generation.
    case jwt(type: String)
}
