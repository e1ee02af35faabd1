package enum Condition: Equatable, Sendable {
    case absent
    case present
    case equals(String, Attribute)
    /// The item exists and does not have that attribute.
    case lacks(String)

    /// `item` is the current item: nil if it is absent or expired.
    package func holds(for item: Item?) -> Bool {
        switch self {
        case .absent: item == nil
        case .present: item != nil
        case .equals(let name, let value): item?.attributes[name] == value
        case .lacks(let name): item.map { $0.attributes[name] == nil } ?? false
        }
    }
}

/// One part of a transaction. All conditions of a part must hold.
package enum Write: Equatable, Sendable {
    /// Replaces the whole item.
    case put(Item, when: [Condition])
    /// Deleting an absent item succeeds.
    case delete(ItemKey, when: [Condition])
    /// Only checks conditions, of which there is at least one.
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
