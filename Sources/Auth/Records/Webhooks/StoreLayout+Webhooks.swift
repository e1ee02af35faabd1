internal import Bytes
internal import KeyValueStore
internal import Time

extension StoreLayout {
    /// The events of an audit chain that wait to be sent to a receiver, oldest first.
    static func webhookQueue(_ receiver: String, _ chain: String) -> String {
        "WEBHOOK#\(receiver)#\(chain)"
    }

    /// - Parameter place: the event's sort key in the audit log, where the newest is first.
    static func webhookEvent(_ receiver: String, _ chain: String, place: String) -> ItemKey {
        let sequence = auditSequence(ItemKey(auditEvents(chain), place)) ?? 0
        let id = place.split(separator: "#").last ?? ""
        return ItemKey(webhookQueue(receiver, chain), "\(padded(sequence, 19))#\(id)")
    }

    static func webhookState(_ receiver: String, _ chain: String) -> ItemKey {
        ItemKey(webhookQueue(receiver, chain), WebhookState.sort)
    }

    /// A queue of events, in the order in which they are due.
    static func dueWebhooks(
        _ receiver: String, _ chain: String, shards: Int, due: String
    ) -> ItemKey {
        let shard = Int(digestBytes([receiver, chain])[0]) % shards
        return ItemKey(dueWebhooksPartition(shard), "\(due)#\(receiver)#\(chain)")
    }

    package static func dueWebhooksPartition(_ shard: Int) -> String { "WEBHOOK#DUE#\(shard)" }

    package static let deadWebhooksPartition = "WEBHOOK#DEAD"

    static func deadWebhook(_ id: String) -> ItemKey { ItemKey(deadWebhooksPartition, id) }

    static func deadWebhookID(
        _ receiver: String, _ chain: String, place: String, diedAt: Instant
    ) -> String {
        let name = Base64URL.encode(Array(digestBytes([receiver, chain, place]).prefix(12)))
        return "\(padded(Int64.max - max(0, diedAt.milliseconds), 19))-\(name)"
    }
}
