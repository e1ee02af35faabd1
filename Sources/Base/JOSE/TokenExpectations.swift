package import Time

/// The claims required of a token, one value per kind of token, so that no kind is accepted as
/// another (RFC 8725 section 3.12).
///
/// In each list, nil stands for a token without that member. An empty list accepts nothing.
package struct TokenExpectations: Sendable {
    package var issuers: [String?]
    /// One of the token's audiences must be among these.
    package var audiences: [String?]
    /// Header types, compared as in RFC 7515 section 4.1.9: without regard to case, and `JWT` means
    /// `application/jwt`.
    package var types: [String?]
    package var now: Instant
    /// The allowed difference between the issuer's clock and ours.
    package var leeway: Span
    /// How far `iat` and `nbf` may be in the future, if that differs from `leeway`: a token whose
    /// expiry is checked exactly may still come from a machine whose clock is a second ahead.
    package var issueLeeway: Span?
    /// The maximum age by `iat`, which is then required. As for `exp`, equality means expired.
    package var ageMax: Span?
    /// Further claims that must be present.
    package var requires: [String]
    /// `exp` is required unless this is false, in which case `ageMax` limits the token's life.
    package var requiresExpiry: Bool
    /// Whether `sub` may be an integer, although RFC 7519 section 4.1.2 requires a string: some
    /// issuers use integers. `VerifiedToken.subject` is nil then.
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
