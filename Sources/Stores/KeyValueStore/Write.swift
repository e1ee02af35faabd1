package enum Condition: Equatable, Sendable {
    case absent
    case present
    case equals(String, Attribute)
    /// The item exists, without that attribute.
    case lacks(String)

    /// `item` is the item as it exists now: nil when it has expired.
    package func holds(for item: Item?) -> Bool {
        switch self {
        case .absent: item == nil
        case .present: item != nil
        case .equals(let name, let value): item?.attributes[name] == value
        case .lacks(let name): item.map { $0.attributes[name] == nil } ?? false
        }
    }
}

/// One part of a transaction. The conditions of a part must all hold.
package enum Write: Equatable, Sendable {
    /// Replaces the whole item.
    case put(Item, when: [Condition])
    /// Deleting what is absent succeeds.
    case delete(ItemKey, when: [Condition])
    /// Changes nothing. Has at least one condition.
    case check(ItemKey, when: [Condition])

    package var key: ItemKey {
        switch self {
        case .put(let item, _): item.key
        case .delete(let key, _), .check(let key, _): key
        }
    }

    package var conditions: [Condition] {
        switch self {
        case .put(_, let conditions), .delete(_, let conditions), .check(_, let conditions):
            conditions
        }
    }
}
