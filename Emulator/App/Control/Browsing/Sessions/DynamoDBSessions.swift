internal import Bytes
internal import JSON
internal import KeyValueStore
internal import Time

/// Sessions in the emulator's own DynamoDB. The keys are `pk` and `sk`, and attributes begin with
/// an underscore.
struct DynamoDBSessions: SessionReading {
    private let tables: TableClient
    private let table: String
    private let isReadable: Bool

    init(_ tables: TableClient, table: String) {
        self.tables = tables
        self.table = table
        let keys = tables.table(table).map { TableKeys($0).attributes } ?? []
        isReadable = keys.map(\.name) == ["pk", "sk"] && keys.map(\.type) == ["S", "S"]
    }

    func page(
        after key: ItemKey?, limit: Int
    ) throws(BrowsingFailure) -> (items: [Item], next: ItemKey?) {
        guard isReadable else { return ([], nil) }
        let answer = try ask("Scan", scan(after: key))
        let found = (answer["Items"]?.arrayValue ?? []).compactMap(Self.item)
        if found.count > limit { return (Array(found.prefix(limit)), found[limit - 1].key) }
        return (found, answer["LastEvaluatedKey"].flatMap(Self.key))
    }

    /// Projects the attributes that are shown: the seed of the tokens is not read.
    private func scan(after key: ItemKey?) -> JSONObject {
        var names: [(String, JSON)] = [("#pk", "pk"), ("#sk", "sk")]
        names += SessionItem.names.map { ("#\($0)", .string("_\($0)")) }
        var request: JSONObject = [
            "TableName": .string(table),
            "FilterExpression": "begins_with(#pk, :user) AND begins_with(#sk, :session)",
            "ProjectionExpression": .string(names.map(\.0).joined(separator: ", ")),
            "ExpressionAttributeNames": .object(JSONObject(names)),
            "ExpressionAttributeValues": [
                ":user": ["S": .string(SessionItem.userPrefix)],
                ":session": ["S": .string(SessionItem.sessionPrefix)],
            ],
        ]
        request["ExclusiveStartKey"] = key.map(Self.json)
        return request
    }

    func item(_ key: ItemKey) throws(BrowsingFailure) -> Item? {
        guard isReadable else { return nil }
        let names = Set(SessionItem.names + AccountItem.names).sorted()
        let shown = ["#pk", "#sk"] + names.map { "#\($0)" }
        let answer = try ask(
            "GetItem",
            [
                "TableName": .string(table), "Key": Self.json(key),
                "ProjectionExpression": .string(shown.joined(separator: ", ")),
                "ExpressionAttributeNames": .object(
                    JSONObject(
                        [("#pk", "pk"), ("#sk", "sk")]
                            + names.map { ("#\($0)", .string("_\($0)")) })),
            ])
        return answer["Item"].flatMap(Self.item)
    }

    private func ask(
        _ operation: String, _ request: JSONObject
    ) throws(BrowsingFailure) -> JSON {
        do throws(TableClient.Refusal) {
            return try tables.ask(operation, request)
        } catch {
            guard error.type == "ValidationException" else {
                throw BrowsingFailure(500, "\(table): \(error.message)")
            }
            throw PageCursor.refusal
        }
    }

    private static func json(_ key: ItemKey) -> JSON {
        ["pk": ["S": .string(key.partition)], "sk": ["S": .string(key.sort)]]
    }

    private static func key(_ json: JSON) -> ItemKey? {
        guard let partition = json["pk"]?["S"]?.stringValue,
            let sort = json["sk"]?["S"]?.stringValue
        else { return nil }
        return ItemKey(partition, sort)
    }

    private static func item(_ json: JSON) -> Item? {
        guard let key = key(json), let members = json.objectValue?.members else { return nil }
        var item = Item(key, [:])
        for (name, value) in members where name.utf8.first == UInt8(ascii: "_") {
            item.attributes[String(name.dropFirst())] = Attribute(value)
        }
        return item
    }
}

extension Attribute {
    /// Reads an item in DynamoDB's JSON.
    fileprivate init?(_ json: JSON) {
        if let text = json["S"]?.stringValue {
            self = .text(text)
        } else if let number = json["N"]?.stringValue.flatMap({ Int64($0) }) {
            self = .integer(number)
        } else if let flag = json["BOOL"]?.boolValue {
            self = .flag(flag)
        } else {
            return nil
        }
    }
}
