package import AuthDomain
package import KeyValueStore
package import Time

/// What a mailed sign-in link leads to, and the request that it was mailed for.
package struct MagicLink: Equatable, Sendable {
    package enum Target: Equatable, Sendable {
        /// - Parameter epoch: the account's. When its sessions end, so do its links.
        case account(UserID, epoch: Int64)
        /// An address without an account, which the link proves.
        case newAccount(EmailAddress)
    }

    package let target: Target
    /// The hash of the secret that the requesting app was given.
    package let requestHash: [UInt8]

    package init(_ target: Target, requestHash: [UInt8]) {
        self.target = target
        self.requestHash = requestHash
    }
}

/// `MagicLink` as an item. It names an account or an address, never both: what is left of a deleted
/// account until it expires is a user id that nothing else knows.
package enum MagicLinkRecord {
    package static func item(
        _ magicLink: MagicLink, _ link: AddressLink, expiresAt: Instant
    ) -> Item {
        var attributes: [String: Attribute] = ["request": .bytes(magicLink.requestHash)]
        switch magicLink.target {
        case .account(let user, let epoch):
            attributes["user"] = .text(user.text)
            attributes["epoch"] = .integer(epoch)
        case .newAccount(let email):
            attributes["email"] = .text(email.text)
        }
        return Item(link.key(.magicLink), attributes, expiresAt: expiresAt)
    }

    package static func magicLink(_ item: Item) throws(StoreFailure) -> MagicLink {
        let read = AttributeReader(item)
        let request = try read.bytes("request")
        if let text = try read.optionalText("email") {
            guard let email = EmailAddress(parsing: text) else { throw read.unreadable("email") }
            return MagicLink(.newAccount(email), requestHash: request)
        }
        guard let user = UserID(parsing: try read.text("user")) else {
            throw read.unreadable("user")
        }
        return MagicLink(
            .account(user, epoch: try read.integer("epoch")), requestHash: request)
    }
}
