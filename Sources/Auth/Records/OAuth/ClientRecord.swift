package import KeyValueStore
package import Time

/// A client that has registered itself: its description, as it was accepted.
package struct ClientRecord: Equatable, Sendable {
    package let id: String
    /// JSON, with the members of RFC 7591.
    package let metadata: [UInt8]
    /// nil for a client without a secret.
    package let secretHash: [UInt8]?
    package let registeredAt: Instant

    package init(
        id: String, metadata: [UInt8], secretHash: [UInt8]?, registeredAt: Instant
    ) {
        self.id = id
        self.metadata = metadata
        self.secretHash = secretHash
        self.registeredAt = registeredAt
    }

    package func item(expiresAt: Instant) -> Item {
        var attributes: Attributes = ["client": .text(id), "metadata": .bytes(metadata)]
        if let secretHash { attributes["secret"] = .bytes(secretHash) }
        attributes.set("registeredAt", registeredAt)
        return Item(StoreLayout.client(id), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            id: try read.text("client"), metadata: try read.bytes("metadata"),
            secretHash: try read.optionalBytes("secret"),
            registeredAt: try read.instant("registeredAt"))
    }
}
