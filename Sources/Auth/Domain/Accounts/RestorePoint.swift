package import Time

/// A state of the account that the owner can restore with the link of a mail: before its address
/// was changed, a way to sign in was added, or its second factor was changed.
package struct RestorePoint: Equatable, Sendable {
    /// The position of the link's row among the rows of the account.
    package let link: [UInt8]
    package let change: Change
    package let until: Instant

    package enum Change: Equatable, Sendable {
        /// - Parameter claim: the hash of the former login address, which no other account can
        ///   claim; nil if the account had none.
        case address(claim: [UInt8]?)
        case method
    }

    package init(link: [UInt8], _ change: Change, until: Instant) {
        self.link = link
        self.change = change
        self.until = until
    }

    package var isOfAddress: Bool { change != .method }

    /// The claim on the former login address, which the account keeps.
    package var claim: [UInt8]? {
        if case .address(let claim) = change { claim } else { nil }
    }
}

extension User {
    /// The restore points with a link that is still valid, the oldest first.
    package func restorePoints(at now: Instant) -> [RestorePoint] {
        restorePoints.filter { now < $0.until }
    }
}
