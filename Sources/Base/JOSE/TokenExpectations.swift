package import Time

/// What a token must say to be accepted where it is presented: one value per kind of token, so
/// that no kind passes for another (RFC 8725 section 3.12).
///
/// In each list, nil stands for a token without that member. An empty list accepts nothing.
package struct TokenExpectations: Sendable {
    package var issuers: [String?]
    /// One of the token's audiences must be among these.
    package var audiences: [String?]
    /// Header types, compared as RFC 7515 section 4.1.9 says: without regard to case, and `JWT`
    /// means `application/jwt`.
    package var types: [String?]
    package var now: Instant
    /// How far the issuer's clock may be from ours.
    package var leeway: Span
    /// How far `iat` may lie ahead of `now`, where that is not `leeway`: a token whose end is exact
    /// may still come from a machine whose clock is a second ahead.
    package var issueLeeway: Span?
    /// The age by `iat`, which is then required, at which a token is too old: like `exp`, equal is
    /// over.
    package var ageMax: Span?
    /// Further claims that must be there.
    package var requires: [String]
    /// `exp` is required, unless this says otherwise and `ageMax` ends the token instead.
    package var requiresExpiry: Bool
    /// Whether `sub` may be an integer, although RFC 7519 section 4.1.2 says that it is a string:
    /// some APIs show integer ids. `VerifiedToken.subject` is nil then.
    package var allowsIntegerSubject = false

    package init(
        issuers: [String?], audiences: [String?], types: [String?], now: Instant, leeway: Span,
        ageMax: Span? = nil, requires: [String] = [], requiresExpiry: Bool = true
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.types = types
        self.now = now
        self.leeway = leeway
        self.ageMax = ageMax
        self.requires = requires
        self.requiresExpiry = requiresExpiry
    }
}
