package import Time

/// The provider for clients of others (OAuth 2.1, OpenID Connect): nil unless `OAUTH` is on.
package struct OAuthPolicy: Equatable, Sendable {
    /// A redirect and a request.
    package var codeLifetime = Span.minutes(1)
    /// For how long a second use of a code is noticed.
    package var codeMemory = Span.minutes(10)
    /// A request that was pushed, until the browser comes.
    package var pushedLifetime = Span.minutes(1)
    /// How long a request waits for a person: a registration waits for a mail.
    package var requestLifetime = Span.minutes(30)
    /// How long a device waits for a person.
    package var deviceLifetime = Span.minutes(10)
    /// For how long a device's request is kept: one that asks too late is told that it has expired.
    package var deviceMemory = Span.minutes(20)
    /// Between two questions of a device, and what is added each time that it asks too early (RFC
    /// 8628 section 3.5).
    package var deviceInterval = Span.seconds(5)
    package var accessTokenLifetime = Span.minutes(10)
    package var idTokenLifetime = Span.minutes(10)
    /// The least recently used one ends when another is given.
    package var grantsMax = 100
    /// A decision is forgotten if it was not used for so long.
    package var consentLifetime = Span.days(365)

    /// A client that has registered itself is forgotten if it was not used for so long.
    package var registrationLifetime = Span.days(30)

    /// How long the secret of a client is valid after it was replaced.
    package var formerSecretLifetime = Span.days(30)

    package init() {}
}
