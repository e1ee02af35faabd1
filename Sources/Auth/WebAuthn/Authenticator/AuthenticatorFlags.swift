/// The flags of authenticator data (WebAuthn section 6.1). Bits 1 and 5 are reserved and ignored.
package struct AuthenticatorFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// UP
    package static let userPresent = AuthenticatorFlags(rawValue: 0x01)
    /// UV
    package static let userVerified = AuthenticatorFlags(rawValue: 0x04)
    /// BE: the credential may be copied to other devices. Never changes.
    package static let backupEligible = AuthenticatorFlags(rawValue: 0x08)
    /// BS: the credential is backed up at the moment.
    package static let backedUp = AuthenticatorFlags(rawValue: 0x10)
    /// AT
    package static let attestedCredential = AuthenticatorFlags(rawValue: 0x40)
    /// ED
    package static let extensions = AuthenticatorFlags(rawValue: 0x80)
}
