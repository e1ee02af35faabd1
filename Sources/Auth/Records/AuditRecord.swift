package import AuthDomain
internal import Bytes
package import Cryptography
package import KeyValueStore
package import Time

/// An audit event of an account, for its owner and for investigations. Written in the transaction
/// of the change that it records.
package enum AuditEvent: String, Sendable {
    case accountCreated, signedIn, signedOut, signedOutOthers, signedOutEverywhere
    case sessionRevoked, sessionEvicted, refreshTokenReused, credentialsIssued
    case signInFailed, passwordChanged, passwordReset, passwordResetRequested
    case magicLinkRequested, passwordLinkRequested, methodAdded, methodRemoved
    case accountDisabled, accountEnabled, signedOutByAdministrator
    case madeAdministrator, unmadeAdministrator
    case adminLoggedIn, adminLoginFailed, adminLoggedOut
}

package enum AuditRecord {
    package static let retention = Span.days(90)

    /// - Parameters:
    ///   - maker: who did it, where that is not the account's owner.
    ///   - method: the way to sign in that was added or removed.
    package static func write(
        _ event: AuditEvent, user: UserID, session: SessionID?, address: String?,
        by maker: String? = nil, detail: StaticString? = nil, method: String? = nil,
        at now: Instant, random: RandomSource
    ) -> Write {
        var attributes: [String: Attribute] = ["event": .text(event.rawValue)]
        attributes.set("session", session?.text)
        attributes.set("address", address)
        attributes.set("by", maker)
        attributes.set("detail", detail.map { "\($0)" })
        attributes.set("method", method)
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

    /// What happened to no account in particular.
    package static func administration(
        _ event: AuditEvent, address: String?, at now: Instant, random: RandomSource
    ) -> Write {
        var attributes: [String: Attribute] = ["event": .text(event.rawValue)]
        attributes.set("address", address)
        let key = StoreLayout.administrationAudit(
            at: now.iso8601Milliseconds, tie: Hex.encode(random.bytes(8)))
        return .put(Item(key, attributes, expiresAt: now + retention), when: [])
    }
}
