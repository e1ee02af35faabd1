package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore
package import Time

/// What happened to an account, kept for its owner and for investigations. Written in the
/// transaction of the change that it records, or not at all.
package enum AuditEvent: String, Sendable {
    case accountCreated, signedIn, signedOut, signedOutOthers, signedOutEverywhere
    case sessionRevoked, sessionEvicted, refreshTokenReused, credentialsIssued
    case signInFailed, passwordChanged, passwordReset, passwordResetRequested
}

package enum AuditRecord {
    package static let retention = Span.days(90)

    package static func write(
        _ event: AuditEvent, user: UserID, session: SessionID?, address: String?,
        detail: StaticString? = nil, at now: Instant, random: RandomSource
    ) -> Write {
        var attributes: [String: Attribute] = ["event": .text(event.rawValue)]
        attributes.set("session", session?.text)
        attributes.set("address", address)
        attributes.set("detail", detail.map { "\($0)" })
        let key = StoreLayout.audit(
            of: user, at: now.iso8601Milliseconds, tie: Hex.encode(random.bytes(8)))
        return .put(Item(key, attributes, expiresAt: now + retention), when: [])
    }

    /// What happened to an address that has no account.
    package static func write(
        _ event: AuditEvent, unknown emailAddress: EmailAddress, address: String?,
        at now: Instant, random: RandomSource
    ) -> Write {
        var attributes: [String: Attribute] = ["event": .text(event.rawValue)]
        attributes.set("address", address)
        let key = StoreLayout.audit(
            ofAddress: emailAddress, at: now.iso8601Milliseconds,
            tie: Hex.encode(random.bytes(8)))
        return .put(Item(key, attributes, expiresAt: now + retention), when: [])
    }
}
