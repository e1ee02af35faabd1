/// The meaning of a signature counter (WebAuthn section 6.1.1).
package enum SignatureCounter: Sendable, Equatable {
    /// Both counters are zero: the authenticator does not count.
    case unused
    case advanced
    /// The counter did not advance, but the credential may be on several devices, each with its own
    /// counter or none.
    case ignored

    /// nil if the credential is on one device and its counter did not advance: the credential was
    /// copied, or two sign-ins were handled in the wrong order.
    static func judge(
        stored: UInt32, received: UInt32, isBackupEligible: Bool
    ) -> SignatureCounter? {
        if stored == 0, received == 0 { return .unused }
        if received > stored { return .advanced }
        return isBackupEligible ? .ignored : nil
    }
}
