package import Time

/// The lifetimes of sessions, and the behaviour of refresh.
package struct SessionPolicy: Equatable, Sendable {
    /// A session that is not refreshed for this long has ended.
    package var idleLifetime: Span
    /// A session ends at this age, even if it is refreshed (ASVS 5.0, 7.3.2).
    package var absoluteLifetime: Span
    package var rotation: Rotation
    package var reuseScope: ReuseScope
    package var refreshTokens: RefreshTokenForm
    /// The maximum number of sessions per account: a further sign-in ends the least recently used
    /// one.
    package var sessionsMax: Int
    /// The maximum age of the sign-in for sensitive changes, such as removing a sign-in method or
    /// deleting the account (ASVS 5.0, 7.5.1): a stolen session must not suffice for them.
    package var recentSignIn: Span

    package init(
        idleLifetime: Span, absoluteLifetime: Span, rotation: Rotation,
        reuseScope: ReuseScope = .session, refreshTokens: RefreshTokenForm, sessionsMax: Int = 100,
        recentSignIn: Span = .minutes(10)
    ) {
        self.idleLifetime = idleLifetime
        self.absoluteLifetime = absoluteLifetime
        self.rotation = rotation
        self.reuseScope = reuseScope
        self.refreshTokens = refreshTokens
        self.sessionsMax = sessionsMax
        self.recentSignIn = recentSignIn
    }
}

/// Whether a refresh replaces the refresh token.
package enum Rotation: Equatable, Sendable {
    /// Each refresh replaces the token. Within the grace period, and while the successor is unused,
    /// the replaced token gets the same successor again: a client whose response was lost, or that
    /// refreshed twice in parallel, keeps its session. Zero disables the grace period.
    case everyUse(grace: Span)
    /// The token remains valid for the whole session.
    case never
}

/// The sessions that end when a replaced refresh token is presented.
package enum ReuseScope: Equatable, Sendable {
    /// The session that the token belongs to (RFC 9700 section 4.14.2).
    case session
    /// Every session of the user.
    case user
}

/// The format of refresh tokens.
package enum RefreshTokenForm: Equatable, Sendable {
    /// `<prefix>` and 80 characters that contain user, session and generation with two MACs. Tokens
    /// are not stored, and a forged one is refused without a store call.
    case selfContained(prefix: String)
    /// `<prefix>` and 43 characters of base64url, found in the store by hash.
    case opaque(prefix: String)
    /// A version 4 UUID, found in the store by hash.
    case uuid
    /// A JWT (HS256) with this `typ`, which contains user, session and generation.
    case jwt(type: String)
}
