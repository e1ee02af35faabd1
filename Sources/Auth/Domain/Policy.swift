package import Time

/// The numbers and rules in which contracts differ, wire format aside.
package struct Policy: Equatable, Sendable {
    package var accessTokenLifetime: Span
    /// A refresh token that nobody uses for this long ends its session.
    package var idleLifetime: Span
    /// No session outlives this, however often it is refreshed (ASVS 7.3.2).
    package var absoluteLifetime: Span
    /// How long the token before may still fetch its successor again.
    package var grace: Span
    package var reuseScope: ReuseScope
    package var refreshTokenForm: RefreshTokenForm
    package var accessToken: AccessTokenForm
    package var nonce: NonceRule
    /// Whether a sign-in without a nonce is refused.
    package var requiresNonce = false
    /// How old an identity token may be: Apple's live for 24 h.
    package var identityTokenAgeMax: Span
    package var challengeLifetime: Span
    package var rateLimits: [RateLimit]

    package init(
        accessTokenLifetime: Span, idleLifetime: Span, absoluteLifetime: Span, grace: Span,
        reuseScope: ReuseScope, refreshTokenForm: RefreshTokenForm, accessToken: AccessTokenForm,
        nonce: NonceRule, identityTokenAgeMax: Span = .minutes(10),
        challengeLifetime: Span = .minutes(10), rateLimits: [RateLimit]
    ) {
        self.accessTokenLifetime = accessTokenLifetime
        self.idleLifetime = idleLifetime
        self.absoluteLifetime = absoluteLifetime
        self.grace = grace
        self.reuseScope = reuseScope
        self.refreshTokenForm = refreshTokenForm
        self.accessToken = accessToken
        self.nonce = nonce
        self.identityTokenAgeMax = identityTokenAgeMax
        self.challengeLifetime = challengeLifetime
        self.rateLimits = rateLimits
    }
}

/// How far the reuse of a spent refresh token reaches.
package enum ReuseScope: Equatable, Sendable {
    /// RFC 9700 section 4.14.2.
    case family
    /// Every session of the user.
    case user
}

/// Where the nonce of an identity token comes from.
package enum NonceRule: Equatable, Sendable {
    /// The contract has no nonce; one inside the token is not looked at.
    case none
    /// The client chose it and repeats it in the request.
    case echoed
    /// We issued it (`challenge`) and sign-in consumes it.
    case issued
}

/// The shape of access tokens; the claims that decide anything are the same in all of them.
package struct AccessTokenForm: Equatable, Sendable {
    package enum Algorithm: String, Sendable { case rs256, es256, edDSA, hs256 }

    package var algorithm: Algorithm
    /// The header's `typ`. RFC 9068 says `at+jwt`.
    package var type: String
    package var audience: String
    /// Whether the e-mail goes into the token, where every service that sees it can read it.
    package var carriesEmail: Bool

    package init(algorithm: Algorithm, type: String, audience: String, carriesEmail: Bool) {
        self.algorithm = algorithm
        self.type = type
        self.audience = audience
        self.carriesEmail = carriesEmail
    }
}

/// At most `requestsMax` of one kind per window, counted per address or per account.
package struct RateLimit: Equatable, Sendable {
    package enum Action: String, Sendable {
        case challenge, signIn, refresh, signOut, credentials
    }
    package enum Subject: String, Sendable { case address, account }

    package let action: Action
    package let subject: Subject
    package let requestsMax: Int64
    package let window: Span

    package init(_ action: Action, per subject: Subject, _ requestsMax: Int64, in window: Span) {
        self.action = action
        self.subject = subject
        self.requestsMax = requestsMax
        self.window = window
    }
}
