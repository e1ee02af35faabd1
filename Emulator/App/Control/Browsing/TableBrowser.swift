internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import JSON

/// Tables, and their items in the order of a Scan, which does not change.
struct TableBrowser: Sendable {
    private let tables: TableClient
    private let traces: TraceRecorder

    init(service: DynamoDBService, traces: TraceRecorder) {
        tables = TableClient(service: service)
        self.traces = traces
    }

    func tables(_ page: PageRequest) throws(BrowsingFailure) -> JSON {
        let (names, next) = try names().page(page, of: "tables")
        var answer: JSONObject = [
            // Leaves out a table that has just been deleted.
            "tables": .array(names.compactMap { tables.table($0) }.map(Self.summary))
        ]
        answer["next"] = next.map { .string($0) }
        return .object(answer)
    }

    private static func summary(_ table: JSON) -> JSON {
        let indexes = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"]
            .flatMap { table[$0]?.arrayValue ?? [] }
        return [
            "name": table["TableName"] ?? "", "keySchema": TableKeys(table).json,
            "itemCount": table["ItemCount"] ?? 0, "bytes": table["TableSizeBytes"] ?? 0,
            "indexes": .array(indexes.compactMap { $0["IndexName"] }),
        ]
    }

    func items(of name: String, _ page: PageRequest) throws(BrowsingFailure) -> JSON {
        guard let table = tables.table(name) else {
            throw try Self.notFound("Table", name, known: names())
        }
        let keys = TableKeys(table)
        if let key = page.key { return try item(key, of: name, keys) }
        let list = "items \(name)"
        // Requests one item more than is shown, to know whether there is a next page. DynamoDB also
        // ends a page at 1 MiB.
        var request: JSONObject = [
            "TableName": .string(name), "Limit": .number(page.limit + 1),
        ]
        if let cursor = page.cursor {
            let key = try PageCursor.key(cursor, of: list, parts: keys.attributes.count)
            request["ExclusiveStartKey"] = keys.key(key)
        }
        let answer: JSON
        do throws(TableClient.Refusal) {
            answer = try tables.ask("Scan", request)
        } catch {
            // The table may have been deleted and recreated with other keys.
            guard error.type == "ValidationException" else {
                throw BrowsingFailure(500, error.message)
            }
            throw PageCursor.refusal
        }
        let found = answer["Items"]?.arrayValue ?? []
        let items = Array(found.prefix(page.limit))
        let last = found.count > page.limit ? items.last : answer["LastEvaluatedKey"]
        var result = contents(items, of: name, keys)
        if let last {
            result["next"] = .string(PageCursor.text(of: list, after: keys.texts(of: last)))
        }
        return .object(result)
    }

    /// The item with a key in DynamoDB's JSON, or none.
    private func item(
        _ key: String, of name: String, _ keys: TableKeys
    ) throws(BrowsingFailure) -> JSON {
        do throws(TableClient.Refusal) {
            guard let key = try? JSON.parse(Array(key.utf8), limits: .event) else {
                throw TableClient.Refusal(type: "", message: "expected JSON")
            }
            let found = try tables.ask("GetItem", ["TableName": .string(name), "Key": key])["Item"]
            return .object(contents(found.map { [$0] } ?? [], of: name, keys))
        } catch {
            throw BrowsingFailure(400, "Invalid key: \(error.message)")
        }
    }

    private func contents(_ items: [JSON], of name: String, _ keys: TableKeys) -> JSONObject {
        let origins = tables.service.writers(of: items, in: name)
        let writers = ItemWriters(origins, traces)
        return [
            "table": .string(name), "keySchema": keys.json, "items": .array(items),
            "writers": .array(origins.map(writers.json)),
        ]
    }

    private func names() throws(BrowsingFailure) -> [String] {
        do throws(TableClient.Refusal) {
            return try tables.names()
        } catch {
            throw BrowsingFailure(500, error.message)
        }
    }

    /// The error lists the existing names, up to a limit.
    static func notFound(_ what: String, _ name: String, known: [String]) -> BrowsingFailure {
        let shown = known.prefix(20).joined(separator: ", ")
        let list =
            known.isEmpty ? "there are none" : known.count > 20 ? "\(shown), …" : shown
        return BrowsingFailure(404, "\(what) not found: \(name). \(what)s: \(list).")
    }
}
