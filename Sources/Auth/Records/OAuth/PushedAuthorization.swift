package import KeyValueStore
package import Time

/// A request that a client has sent directly before it sends the person (RFC 9126), so that nobody
/// can change it on the way.
package struct PushedAuthorization: Equatable, Sendable {
    package let client: String
    /// The request's parameters, as a form.
    package let parameters: String
    /// The time until which a browser may bring the request's name. The row is kept for longer: the
    /// write that answers the request requires the row, and marks it as used.
    package let endsAt: Instant

    package init(client: String, parameters: String, endsAt: Instant) {
        self.client = client
        self.parameters = parameters
        self.endsAt = endsAt
    }

    /// Marks the request as used. Its row is kept for a while, as for a waiting request.
    ///
    /// - Parameter hash: the hash of the request's name.
    package static func answering(_ hash: String, at now: Instant) -> Write {
        .put(
            WaitingAuthorization.answered(
                Item(
                    StoreLayout.pushedAuthorization(hash), [:], expiresAt: now + .minutes(10))),
            when: WaitingAuthorization.isUnanswered)
    }

    package func item(_ key: ItemKey, expiresAt: Instant) -> Item {
        var attributes: Attributes = ["client": .text(client), "parameters": .text(parameters)]
        attributes.set("endsAt", endsAt)
        return Item(key, attributes, expiresAt: expiresAt)
    }

    package init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        self.init(
            client: try read.text("client"), parameters: try read.text("parameters"),
            endsAt: try read.instant("endsAt"))
    }
}
