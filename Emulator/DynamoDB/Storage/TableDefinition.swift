internal import Bytes
internal import Time

struct KeyAttribute: Equatable, Sendable {
    let name: String
    let kind: AttributeValue.Kind
}

struct KeySchema: Equatable, Sendable {
    let hash: KeyAttribute
    let range: KeyAttribute?

    var attributes: [KeyAttribute] { [hash] + (range.map { [$0] } ?? []) }

    func contains(_ name: String) -> Bool { attributes.contains { $0.name.isSame(as: name) } }
}

struct IndexDefinition: Equatable, Sendable {
    enum Projected: Equatable, Sendable {
        case all
        case keysOnly
        case include([String])
    }

    let name: String
    let space: Keyspace
    let schema: KeySchema
    let projected: Projected
    /// Whether the index orders the items of one partition of the table by another attribute.
    var isLocal = false
    var throughput: Throughput?
}

struct Throughput: Equatable, Sendable {
    let reads: Int
    let writes: Int
}

struct TimeToLive: Equatable, Sendable {
    let attribute: String
    /// The keyspace of the expiring items, ordered by time.
    let space: Keyspace
}

/// The metadata of a table.
struct TableDefinition: Sendable {
    let name: String
    let id: String
    let space: Keyspace
    let schema: KeySchema
    var attributes: [KeyAttribute]
    var indexes: [IndexDefinition]
    /// Nil means on demand.
    var throughput: Throughput?
    /// When the table was last switched to on-demand capacity.
    var onDemandSince: Instant?
    let createdAt: Instant
    var timeToLive: TimeToLive?
    /// The time of the last change: another one within the hour is refused.
    var timeToLiveChangedAt: Instant?
    var isDeletionProtected = false
    var tableClass: String?
    var tags: [TagList.Tag] = []

    func index(_ name: String) -> IndexDefinition? {
        indexes.first { $0.name.isSame(as: name) }
    }
}
