internal import AuthDomain
internal import KeyValueStore
internal import Time

/// Parses an item strictly: a missing attribute or a wrong type makes the item unreadable, and an
/// unreadable item is an error, never a default.
struct AttributeReader {
    private let item: Item

    init(_ item: Item) { self.item = item }

    func text(_ name: String) throws(StoreFailure) -> String {
        guard case .text(let value)? = item.attributes[name] else { throw unreadable(name) }
        return value
    }

    func optionalText(_ name: String) throws(StoreFailure) -> String? {
        switch item.attributes[name] {
        case .text(let value)?: value
        case nil: nil
        default: throw unreadable(name)
        }
    }

    func integer(_ name: String) throws(StoreFailure) -> Int64 {
        guard case .integer(let value)? = item.attributes[name] else { throw unreadable(name) }
        return value
    }

    func optionalInteger(_ name: String) throws(StoreFailure) -> Int64? {
        switch item.attributes[name] {
        case .integer(let value)?: value
        case nil: nil
        default: throw unreadable(name)
        }
    }

    func instant(_ name: String) throws(StoreFailure) -> Instant {
        Instant(milliseconds: try integer(name))
    }

    func bytes(_ name: String) throws(StoreFailure) -> [UInt8] {
        guard case .bytes(let value)? = item.attributes[name] else { throw unreadable(name) }
        return value
    }

    func optionalBytes(_ name: String) throws(StoreFailure) -> [UInt8]? {
        switch item.attributes[name] {
        case .bytes(let value)?: value
        case nil: nil
        default: throw unreadable(name)
        }
    }

    func email(_ name: String) throws(StoreFailure) -> EmailAddress {
        guard let email = EmailAddress(parsing: try text(name)) else { throw unreadable(name) }
        return email
    }

    func flag(_ name: String) throws(StoreFailure) -> Bool {
        guard case .flag(let value)? = item.attributes[name] else { throw unreadable(name) }
        return value
    }

    func optionalFlag(_ name: String) throws(StoreFailure) -> Bool? {
        switch item.attributes[name] {
        case .flag(let value)?: value
        case nil: nil
        default: throw unreadable(name)
        }
    }

    func unreadable(_ name: String) -> StoreFailure {
        .unreadable(detail: "attribute \(name) of a stored item is missing or malformed")
    }
}

extension Attributes {
    /// A nil value is omitted, not stored as an empty text.
    mutating func set(_ name: String, _ value: String?) {
        if let value { self[name] = .text(value) }
    }

    mutating func set(_ name: String, _ value: Instant) {
        self[name] = .integer(value.milliseconds)
    }
}
