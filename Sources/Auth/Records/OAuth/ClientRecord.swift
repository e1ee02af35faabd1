internal import Bytes
package import KeyValueStore
package import Time

/// A client in the store: one that has registered itself, or that an administrator has added.
package struct ClientRecord: Equatable, Sendable {
    package let id: String
    /// JSON, with the members of RFC 7591.
    package let metadata: [UInt8]
    /// nil for a client without a secret.
    package let secretHash: [UInt8]?
    package let registeredAt: Instant
    /// The administrator who has added it; nil for one that has registered itself.
    package let addedBy: String?
    package var disabledAt: Instant?

    package init(
        id: String, metadata: [UInt8], secretHash: [UInt8]?, registeredAt: Instant,
        addedBy: String?, disabledAt: Instant? = nil
    ) {
        self.id = id
        self.metadata = metadata
        self.secretHash = secretHash
        self.registeredAt = registeredAt
        self.addedBy = addedBy
        self.disabledAt = disabledAt
    }

    /// - Parameter expiresAt: nil for one that stays until it is deleted.
    package func item(expiresAt: Instant?) -> Item {
        var attributes: Attributes = ["client": .text(id), "metadata": .bytes(metadata)]
        if let secretHash { attributes["secret"] = .bytes(secretHash) }
        attributes.set("registeredAt", registeredAt)
        attributes.set("addedBy", addedBy)
        if let disabledAt { attributes.set("disabledAt", disabledAt) }
        return Item(StoreLayout.client(id), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            id: try read.text("client"), metadata: try read.bytes("metadata"),
            secretHash: try read.optionalBytes("secret"),
            registeredAt: try read.instant("registeredAt"),
            addedBy: try read.optionalText("addedBy"),
            disabledAt: try read.optionalInteger("disabledAt").map(Instant.init(milliseconds:)))
    }

    /// Conditions that hold until it is disabled, enabled or deleted.
    package var unchanged: [Condition] {
        let name = "disabledAt"
        return [
            .present,
            disabledAt.map { .equals(name, .integer($0.milliseconds)) } ?? .lacks(name),
        ]
    }

    /// The client that a write disables or deletes.
    static func ended(by write: Write) -> String? {
        switch write {
        case .put(let item, _):
            guard StoreLayout.isClient(item.key), item.attributes["disabledAt"] != nil,
                case .text(let client)? = item.attributes["client"]
            else { return nil }
            return client
        // Its key has only the hash of its ID, and its place in the list the ID.
        case .delete(let key, _):
            guard key.partition.isSame(as: StoreLayout.clientListPartition) else { return nil }
            return StoreLayout.listedClient(key.sort)
        case .check: return nil
        }
    }

    /// The place in the list of clients.
    package func listing(expiresAt: Instant?) -> Item {
        Item(StoreLayout.clientListing(id, registeredAt: registeredAt), [:], expiresAt: expiresAt)
    }
}
