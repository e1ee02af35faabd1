internal import JSON
internal import KeyValueStore
internal import Time

/// Builds a DynamoDB expression with the names and values it uses. Attribute names are always
/// placeholders, because 573 words are reserved; a placeholder that is declared but not used is
/// refused by the service.
struct Expression {
    private var names: [(String, JSON)] = []
    private var values: [(String, JSON)] = []

    mutating func name(_ attribute: String) -> String {
        if let known = names.first(where: { $0.1 == .string(attribute) }) { return known.0 }
        names.append(("#n\(names.count)", .string(attribute)))
        return names[names.count - 1].0
    }

    mutating func value(_ value: JSON) -> String {
        values.append((":v\(values.count)", value))
        return values[values.count - 1].0
    }

    /// The members of a request that belong to its expressions.
    var members: [(String, JSON)] {
        [
            ("ExpressionAttributeNames", names), ("ExpressionAttributeValues", values),
        ].compactMap { $0.1.isEmpty ? nil : ($0.0, .object(JSONObject($0.1))) }
    }
}

extension Expression {
    /// The condition that there is no item, or that the item has expired.
    mutating func absent(at now: Instant) -> String {
        let key = name(StoredItem.partition)
        let expiry = name(StoredItem.expiry)
        return "(attribute_not_exists(\(key)) OR \(expiry) <= \(value(now.stored)))"
    }

    /// The condition that there is an item, and that it has not expired.
    mutating func present(at now: Instant) -> String {
        let key = name(StoredItem.partition)
        let expiry = name(StoredItem.expiry)
        return "attribute_exists(\(key)) AND "
            + "(attribute_not_exists(\(expiry)) OR \(expiry) > \(value(now.stored)))"
    }

    /// The conjunction of a write's conditions; nil if there are none.
    mutating func all(_ conditions: [Condition], at now: Instant) -> String? {
        var parts: [String] = []
        if conditions.contains(where: { $0 != .absent }) { parts.append(present(at: now)) }
        for condition in conditions {
            switch condition {
            case .absent:
                parts.append(absent(at: now))
            case .present:
                break
            case .equals(let attribute, let expected):
                parts.append(
                    "\(name(StoredItem.name(attribute))) = \(value(expected.stored))")
            case .lacks(let attribute):
                parts.append("attribute_not_exists(\(name(StoredItem.name(attribute))))")
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: " AND ")
    }
}
