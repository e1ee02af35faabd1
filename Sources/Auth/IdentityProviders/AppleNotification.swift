internal import Bytes
internal import JOSE
internal import JSON
package import Time

/// A server-to-server notification of Apple about a user's account ("Processing changes for Sign in
/// with Apple accounts").
package struct AppleNotification: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        /// The user stopped using Apple ID with the app: Apple's tokens are revoked.
        case consentRevoked
        /// The Apple ID was deleted. Apple has used two spellings of this event.
        case accountDeleted
        /// Whether Apple forwards mail to the private relay address.
        case emailDisabled, emailEnabled
        /// An unknown event type: Apple may add some.
        case other

        init(_ type: String) {
            self =
                switch type {
                case "consent-revoked": .consentRevoked
                case "account-delete", "account-deleted": .accountDeleted
                case "email-disabled": .emailDisabled
                case "email-enabled": .emailEnabled
                default: .other
                }
        }
    }

    package let event: Event
    /// The provider's canonical issuer.
    package let issuer: String
    package let subject: String
    /// The time of the event, according to Apple.
    package let occurredAt: Instant?
    /// The ID, which is the same in each repetition.
    package let id: String
    /// Repetitions after this instant are refused as too old.
    package let validUntil: Instant

    package init(
        _ event: Event, issuer: String, subject: String, occurredAt: Instant?, id: String,
        validUntil: Instant
    ) {
        self.event = event
        self.issuer = issuer
        self.subject = subject
        self.occurredAt = occurredAt
        self.id = id
        self.validUntil = validUntil
    }
}

extension IdentityVerifier {
    /// Apple repeats a notification that was not answered with 200, and does not document for how
    /// long.
    private static let notificationAgeMax = Span.days(7)
    private static let notificationIDBytesMax = 256

    /// Verifies the payload of a notification. It is a security event token (RFC 8417): signed like
    /// an ID token, but with `events` and without `sub`, so neither is accepted as the other.
    package func verify(
        notification payload: String, provider: ProviderConfiguration, now: Instant
    ) throws(IdentityFailure) -> AppleNotification {
        var expectations = TokenExpectations(
            issuers: provider.issuers, audiences: provider.clientIDs,
            types: [nil, "JWT", "secevent+jwt"], now: now, leeway: .zero,
            ageMax: Self.notificationAgeMax, requires: ["events"], requiresExpiry: false)
        expectations.issueLeeway = provider.leeway
        let token = try verified(payload, of: provider, expecting: expectations)
        guard token.claims["sub"] == nil else { throw .invalidIDToken }
        guard IdentityClaims(claims: token.claims).audience(among: provider.clientIDs) != nil else {
            throw .invalidAudience
        }
        guard let issuedAt = token.issuedAt, let event = Self.event(token.claims["events"]),
            let type = event["type"]?.stringValue
        else { throw .invalidIDToken }
        guard let subject = IdentityClaims(claims: event).subject else { throw .invalidSubject }
        let id = token.claims["jti"]?.stringValue ?? ""
        return AppleNotification(
            AppleNotification.Event(type), issuer: provider.canonicalIssuer, subject: subject,
            occurredAt: event["event_time"]?.int64Value.map(Instant.init(milliseconds:)),
            // A notification without an ID is identified by its fingerprint.
            id: (1...Self.notificationIDBytesMax).contains(id.utf8.count)
                ? id : Base64URL.encode(token.fingerprint),
            validUntil: issuedAt + Self.notificationAgeMax)
    }

    /// Apple sends a string that contains JSON; RFC 8417 specifies an object.
    private static func event(_ claim: JSON?) -> JSONObject? {
        guard let text = claim?.stringValue else { return claim?.objectValue }
        return (try? JSON.parse(Array(text.utf8), limits: .request))?.objectValue
    }
}
