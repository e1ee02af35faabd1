package import Time

/// The rules of the provider for third-party clients (OAuth 2.1, OpenID Connect). The policy is nil
/// unless `OAUTH` is on.
package struct OAuthPolicy: Equatable, Sendable {
    /// How long an authorization code is valid: long enough for a redirect and a request.
    package var codeLifetime = Span.minutes(1)
    /// How long a code is kept after its use, so that a second use is noticed.
    package var codeMemory = Span.minutes(10)
    /// How long a pushed request waits for the browser.
    package var pushedLifetime = Span.minutes(1)
    /// How long a request waits for a person. The time is long because a registration includes
    /// waiting for a mail.
    package var requestLifetime = Span.minutes(30)
    /// How long a device waits for a person.
    package var deviceLifetime = Span.minutes(10)
    /// How long a device's request is kept. A device that asks too late learns that the request has
    /// expired.
    package var deviceMemory = Span.minutes(20)
    /// The time between two requests of a polling device, and how much is added each time it asks
    /// too early (RFC 8628 section 3.5).
    package var deviceInterval = Span.seconds(5)
    package var accessTokenLifetime = Span.minutes(10)
    package var idTokenLifetime = Span.minutes(10)
    /// The maximum number of grants. A further one ends the least recently used one.
    package var grantsMax = 100
    /// A decision that is not used for this long is deleted.
    package var consentLifetime = Span.days(365)

    /// A client that registered itself and is not used for this long is deleted.
    package var registrationLifetime = Span.days(30)

    /// How long the former secret of a client is valid after it was replaced.
    package var formerSecretLifetime = Span.days(30)

    package init() {}
}
