package import Time

/// The provider for clients of others (OAuth 2.1, OpenID Connect): nil unless `OAUTH` is on.
package struct OAuthPolicy: Equatable, Sendable {
    /// A redirect and a request.
    package var codeLifetime = Span.minutes(1)
    /// For how long a second use of a code is noticed.
    package var codeMemory = Span.minutes(10)
    /// How long a request waits for a person: a registration waits for a mail.
    package var requestLifetime = Span.minutes(30)
    package var accessTokenLifetime = Span.minutes(10)
    package var idTokenLifetime = Span.minutes(10)
    /// The least recently used one ends when another is given.
    package var grantsMax = 100
    /// A decision is forgotten if it was not used for so long.
    package var consentLifetime = Span.days(365)

    /// A client that has registered itself is forgotten if it was not used for so long.
    package var registrationLifetime = Span.days(30)

    package init() {}
}
