internal import Bytes
internal import JSON
internal import KeyValueStore
internal import Time

/// The lines of an export, each of which is compact JSON:
///
///     {"latchkeyStore": 2, "masterKeyID": hex, "masterKey": base64, "administrator": hash}
///     {"p": partition, "s": sort key, "e": expiry in milliseconds, "a": {name: value, …}}
///     …
///     {"items": count, "sha256": of all bytes before this line, in hex}
///
/// All members of the first line except its version may be missing (`ExportHeader`). A value is
/// `{"S": text}`, `{"N": integer as text}`, `{"B": base64}` or `{"BOOL": flag}`. Names of
/// attributes are in the order of their bytes, so that an item has one form.
enum TransferFormat {
    /// The limit is enough for the largest item in base64, including its names.
    static let lineBytesMax = 2 << 20

    private static let limits = JSONLimits(bytesMax: lineBytesMax, depthMax: 4)

    enum Line {
        case header(ExportHeader)
        case item(Item)
        case end(count: Int64, sha256: String)
    }

    static func line(_ header: ExportHeader) -> [UInt8] { line(header.line) }

    static func line(_ item: Item) -> [UInt8] {
        var members: [(String, JSON)] = [
            ("p", .string(item.key.partition)), ("s", .string(item.key.sort)),
        ]
        if let expiry = item.expiresAt { members.append(("e", .number(expiry.milliseconds))) }
        members.append(("a", .object(JSONObject(item.attributes.map { ($0.key, json($0.value)) }))))
        return line(JSONObject(members))
    }

    static func end(count: Int, sha256: String) -> [UInt8] {
        line(["items": .number(count), "sha256": .string(sha256)])
    }

    /// nil for anything else.
    static func parse(_ bytes: [UInt8]) -> Line? {
        guard let object = try? JSON.parse(bytes, limits: limits).objectValue else { return nil }
        if object["latchkeyStore"] != nil { return ExportHeader(object).map(Line.header) }
        if let count = object["items"]?.int64Value, let digest = object["sha256"]?.stringValue {
            return .end(count: count, sha256: digest)
        }
        return item(object).map(Line.item)
    }

    private static func item(_ object: JSONObject) -> Item? {
        guard let partition = object["p"]?.stringValue, let sort = object["s"]?.stringValue,
            let members = object["a"]?.objectValue?.members
        else { return nil }
        var item = Item(ItemKey(partition, sort), [:])
        for (name, value) in members {
            guard let attribute = attribute(value) else { return nil }
            item.attributes[name] = attribute
        }
        guard let expiry = object["e"] else { return item }
        guard let milliseconds = expiry.int64Value else { return nil }
        item.expiresAt = Instant(milliseconds: milliseconds)
        return item
    }

    private static func line(_ object: JSONObject) -> [UInt8] {
        JSON.object(object).serialized + [0x0A]
    }

    private static func json(_ attribute: Attribute) -> JSON {
        switch attribute {
        case .text(let text): ["S": .string(text)]
        case .integer(let value): ["N": .string(String(value))]
        case .bytes(let bytes): ["B": .string(Base64.encode(bytes))]
        case .flag(let flag): ["BOOL": .bool(flag)]
        }
    }

    private static func attribute(_ json: JSON) -> Attribute? {
        guard let members = json.objectValue?.members, members.count == 1 else { return nil }
        let (type, value) = members[0]
        switch (type, value) {
        case ("S", .string(let text)): return .text(text)
        case ("N", .string(let digits)):
            guard let value = Int64(digits), String(value) == digits else { return nil }
            return .integer(value)
        case ("B", .string(let text)): return Base64.decode(text).map(Attribute.bytes)
        case ("BOOL", .bool(let flag)): return .flag(flag)
        default: return nil
        }
    }
}
