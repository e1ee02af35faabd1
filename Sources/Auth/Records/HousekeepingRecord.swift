package import KeyValueStore
package import Time

/// When a run of housekeeping was last completed.
package struct HousekeepingRecord: Equatable, Sendable {
    package let endedAt: Instant

    package init(endedAt: Instant) { self.endedAt = endedAt }

    package init(_ item: Item) throws(StoreFailure) {
        endedAt = try AttributeReader(item).instant("endedAt")
    }

    package var item: Item {
        var attributes: Attributes = [:]
        attributes.set("endedAt", endedAt)
        return Item(StoreLayout.lastHousekeeping, attributes)
    }
}
