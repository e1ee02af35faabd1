package import KeyValueStore
package import Time

/// A client's description of itself, as it was fetched from the URL that is its ID, with the keys
/// at its `jwks_uri`.
package struct ClientDocumentRecord: Equatable, Sendable {
    package let url: String
    /// JSON.
    package let document: [UInt8]
    /// The keys as JSON; nil unless the document has a URL of keys.
    package let keys: [UInt8]?
    /// The document is not fetched again until this time.
    package let freshUntil: Instant

    package init(url: String, document: [UInt8], keys: [UInt8]?, freshUntil: Instant) {
        self.url = url
        self.document = document
        self.keys = keys
        self.freshUntil = freshUntil
    }

    package func item(expiresAt: Instant) -> Item {
        var attributes: Attributes = ["url": .text(url), "document": .bytes(document)]
        if let keys { attributes["keys"] = .bytes(keys) }
        attributes.set("freshUntil", freshUntil)
        return Item(StoreLayout.clientDocument(url), attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            url: try read.text("url"), document: try read.bytes("document"),
            keys: try read.optionalBytes("keys"), freshUntil: try read.instant("freshUntil"))
    }
}
