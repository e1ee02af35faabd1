package import AuthDomain
package import KeyValueStore
package import Time

/// An address that is not verified yet: the account's present address, or its future one.
package struct PendingConfirmation: Equatable, Sendable {
    package let email: EmailAddress
    /// The account's epoch. Links become invalid when all sessions end.
    package let epoch: Int64
    package let purpose: Purpose

    package enum Purpose: Equatable, Sendable {
        case verify
        /// - Parameter former: the account's address at the time of the request for the new one.
        ///   The link is invalid if that address has changed since then.
        case replace(former: String?)
    }

    package init(email: EmailAddress, epoch: Int64, _ purpose: Purpose = .verify) {
        self.email = email
        self.epoch = epoch
        self.purpose = purpose
    }

    package func isFor(_ user: User) -> Bool {
        guard epoch == user.epoch else { return false }
        switch purpose {
        case .verify: return user.emailAddress == email
        case .replace(let former): return user.email == former
        }
    }

    package func item(_ link: AccountLink, expiresAt: Instant) -> Item {
        var item = link.item(.confirmEmail, epoch: epoch, expiresAt: expiresAt)
        item.attributes["email"] = .text(email.text)
        if case .replace(let former) = purpose {
            item.attributes["replaces"] = .flag(true)
            item.attributes.set("former", former)
        }
        return item
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        let replaces = try read.optionalFlag("replaces") ?? false
        self.init(
            email: try read.email("email"), epoch: try AccountLink.epoch(item),
            replaces ? .replace(former: try read.optionalText("former")) : .verify)
    }
}
