package import AuthDomain
package import KeyValueStore
package import Time

/// The events of one chain of the audit log that wait to be sent to one receiver, oldest first. The
/// first row says until when they wait, and whether a run is sending them now.
///
/// Rows contain only the events' keys: the audit log has the events, and keeps them for longer.
package struct WebhookQueue: Hashable, Sendable {
    /// `WebhookReceiver.id`
    package let receiver: String
    package let chain: AuditChain

    package init(receiver: String, chain: AuditChain) {
        self.receiver = receiver
        self.chain = chain
    }

    package func query(limit: Int) -> PartitionQuery {
        PartitionQuery(StoreLayout.webhookQueue(receiver, chain.name), limit: limit)
    }

    package static func events(
        in items: [Item]
    ) throws(StoreFailure) -> (state: WebhookState?, events: [QueuedEvent]) {
        var state: WebhookState?
        var events: [QueuedEvent] = []
        for item in items {
            if item.key.sort == WebhookState.sort {
                state = try WebhookState(item)
            } else {
                events.append(try QueuedEvent(item))
            }
        }
        return (state, events)
    }
}

/// An event that waits to be sent.
package struct QueuedEvent: Equatable, Sendable {
    package let key: ItemKey
    /// The event's key in the audit log.
    package let place: String
    /// The time since which the event waits.
    package let since: Instant

    package init(_ queue: WebhookQueue, place: String, since: Instant) {
        key = StoreLayout.webhookEvent(queue.receiver, queue.chain.name, place: place)
        self.place = place
        self.since = since
    }

    /// The item does not expire, because the event must not be lost.
    package var item: Item {
        var attributes: Attributes = ["place": .text(place)]
        attributes.set("since", since)
        return Item(key, attributes)
    }

    init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        key = item.key
        place = try read.text("place")
        since = try read.instant("since")
    }
}

/// The time until which the events of a queue wait: a run is sending them, or the next attempt
/// after a failure is not due yet.
package struct WebhookState: Equatable, Sendable {
    /// This sorts before the events, because their keys are numbers.
    static let sort = "#STATE"

    package let until: Instant
    /// Failures in a row.
    package let failures: Int64
    /// A random value that is new with each change, so that only one of two runs changes a state.
    package let version: [UInt8]

    package init(until: Instant, failures: Int64, version: [UInt8]) {
        self.until = until
        self.failures = failures
        self.version = version
    }

    init(_ item: Item) throws(StoreFailure) {
        let read = AttributeReader(item)
        until = try read.instant("until")
        failures = try read.integer("failures")
        version = try read.bytes("version")
    }

    /// Replaces `former`; the write fails if `former` was changed.
    package func replacing(_ former: WebhookState?, of queue: WebhookQueue) -> Write {
        var attributes: Attributes = [
            "failures": .integer(failures), "version": .bytes(version),
        ]
        attributes.set("until", until)
        return .put(
            Item(StoreLayout.webhookState(queue.receiver, queue.chain.name), attributes),
            when: Self.unchanged(former))
    }

    package func removal(of queue: WebhookQueue) -> Write {
        .delete(
            StoreLayout.webhookState(queue.receiver, queue.chain.name), when: Self.unchanged(self))
    }

    private static func unchanged(_ state: WebhookState?) -> [Condition] {
        guard let state else { return [.absent] }
        return [.equals("version", .bytes(state.version))]
    }
}
