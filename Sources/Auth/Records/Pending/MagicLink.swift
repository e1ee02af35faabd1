package import AuthDomain
package import KeyValueStore
package import Time

/// The target of a mailed sign-in link, and the request for which it was mailed.
///
/// The row contains a user ID or an address, never both: after the account is deleted, the row
/// contains only a meaningless ID until it expires.
package struct MagicLink: Equatable, Sendable {
    package enum Target: Equatable, Sendable {
        /// - Parameter epoch: the account's epoch. Links become invalid when all sessions end.
        case account(UserID, epoch: Int64)
        /// An address without an account; using the link proves the address.
        case newAccount(EmailAddress)
    }

    package let target: Target
    /// The hash of the secret that the requesting app received.
    package let requestHash: [UInt8]

    package init(_ target: Target, requestHash: [UInt8]) {
        self.target = target
        self.requestHash = requestHash
    }

    package func item(_ link: AddressLink, expiresAt: Instant) -> Item {
        var attributes: Attributes = ["request": .bytes(requestHash)]
        switch target {
        case .account(let user, let epoch):
            attributes["user"] = .text(user.text)
            attributes["epoch"] = .integer(epoch)
        case .newAccount(let email):
            attributes["email"] = .text(email.text)
        }
        return Item(link.key(.magicLink), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        requestHash = try read.bytes("request")
        if try read.optionalText("email") != nil {
            target = .newAccount(try read.email("email"))
            return
        }
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        target = .account(user, epoch: try read.integer("epoch"))
    }
}
