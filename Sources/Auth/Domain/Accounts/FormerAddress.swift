package import Time

/// An address that the account had until it was changed. Its owner can restore it with the link of
/// a mail, and until then no other account can claim it.
package struct FormerAddress: Equatable, Sendable {
    /// Where the row of the link is among those of the account.
    package let link: [UInt8]
    /// The hash of the login address that the account keeps; nil if it had none.
    package let claim: [UInt8]?
    package let until: Instant

    package init(link: [UInt8], claim: [UInt8]?, until: Instant) {
        self.link = link
        self.claim = claim
        self.until = until
    }
}

extension User {
    /// The former addresses that can still be restored, the oldest first.
    package func restorableAddresses(at now: Instant) -> [FormerAddress] {
        formerAddresses.filter { now < $0.until }
    }
}
