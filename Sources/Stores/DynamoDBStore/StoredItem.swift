internal import Bytes
internal import JSON
internal import KeyValueStore
internal import Time

/// An item in DynamoDB's JSON:
///
///     {"pk": {"S": …}, "sk": {"S": …}, "_name": {"S" | "N" | "B" | "BOOL": …}, …,
///      "expiresAtMs": {"N": …}, "ttl": {"N": …}}
///
/// The attributes of `Item` get an underscore as prefix, so that they never collide with the
/// table's own.
enum StoredItem {
    static let partition = "pk"
    static let sort = "sk"
    /// The expiry in milliseconds, which reads and conditions use.
    static let expiry = "expiresAtMs"
    /// The expiry in seconds: DynamoDB's time to live attribute.
    static let timeToLive = "ttl"

    static func name(_ attribute: String) -> String { "_" + attribute }

    static func key(_ key: ItemKey) -> JSON { .object(JSONObject(keyMembers(key))) }

    static func item(_ item: Item) -> JSON {
        var members = keyMembers(item.key)
        for (name, value) in item.attributes { members.append((Self.name(name), value.stored)) }
        if let expiresAt = item.expiresAt {
            members.append((expiry, expiresAt.stored))
            members.append((timeToLive, expiresAt.storedTimeToLive))
        }
        return .object(JSONObject(members))
    }

    /// Nil for an item that this store cannot have written. Attributes without the underscore are
    /// ignored, so that an operator's annotation does not make an item unreadable.
    static func decode(_ json: JSON) -> Item? {
        guard let members = json.objectValue, let key = key(in: json) else { return nil }
        var item = Item(key, [:])
        for member in members.members where member.name.utf8.first == UInt8(ascii: "_") {
            let name = String(member.name.utf8.dropFirst()) ?? ""
            guard (try? StoreLimits.check(attributeName: name)) != nil,
                let value = Attribute(stored: member.value)
            else { return nil }
            item.attributes[name] = value
        }
        guard let expiry = json[expiry] else { return item }
        guard case .integer(let milliseconds) = Attribute(stored: expiry) else { return nil }
        item.expiresAt = Instant(milliseconds: milliseconds)
        return item
    }

    static func key(in json: JSON) -> ItemKey? {
        guard case .text(let partition) = json[partition].flatMap(Attribute.init(stored:)),
            case .text(let sort) = json[sort].flatMap(Attribute.init(stored:))
        else { return nil }
        return ItemKey(partition, sort)
    }

    private static func keyMembers(_ key: ItemKey) -> [(String, JSON)] {
        [
            (partition, Attribute.text(key.partition).stored),
            (sort, Attribute.text(key.sort).stored),
        ]
    }
}

extension Attribute {
    var stored: JSON {
        switch self {
        case .text(let text): ["S": .string(text)]
        case .integer(let value): ["N": .string(String(value))]
        case .bytes(let bytes): ["B": .string(Base64.encode(bytes))]
        case .flag(let flag): ["BOOL": .bool(flag)]
        }
    }

    init?(stored json: JSON) {
        guard let members = json.objectValue?.members, members.count == 1,
            let (type, value) = members.first
        else { return nil }
        switch (type, value) {
        case ("S", .string(let text)): self = .text(text)
        case ("N", .string(let digits)):
            guard let value = Int64(digits), String(value) == digits else { return nil }
            self = .integer(value)
        case ("B", .string(let text)):
            guard let bytes = Base64.decode(text) else { return nil }
            self = .bytes(bytes)
        case ("BOOL", .bool(let flag)): self = .flag(flag)
        default: return nil
        }
    }
}

extension Instant {
    var stored: JSON { Attribute.integer(milliseconds).stored }

    /// The time is rounded up: an item must not be deleted before it expires.
    var storedTimeToLive: JSON {
        Attribute.integer(seconds + (milliseconds > seconds * 1000 ? 1 : 0)).stored
    }
}
