internal import EmulatorDynamoDB
internal import JSON

/// Tables and their items, in DynamoDB JSON.
struct TableStatePart: StatePart {
    let service: DynamoDBService

    let kinds = ["table", "item"]

    func page(from position: JSON?) throws -> (records: [JSON], next: JSON?) {
        let names = try tableNames()
        guard let position else {
            return (try names.map { try definition($0) }, try next(after: nil, in: names))
        }
        let name = try position.required("table")
        var request: JSONObject = [
            "TableName": .string(name), "Limit": .number(Int64(StateLimits.pageRecordsMax)),
        ]
        request["ExclusiveStartKey"] = position["key"]
        let answer = try ask("Scan", request)
        let records = (answer["Items"]?.arrayValue ?? []).map { item -> JSON in
            ["kind": "item", "table": .string(name), "item": item]
        }
        if let key = answer["LastEvaluatedKey"] {
            return (records, ["table": .string(name), "key": key])
        }
        return (records, try next(after: name, in: names))
    }

    private func next(after name: String?, in names: [String]) throws -> JSON? {
        let following = name.map { name in names.drop { $0 != name }.dropFirst() } ?? names[...]
        return following.first.map { ["table": .string($0)] }
    }

    private func definition(_ name: String) throws -> JSON {
        let table = try ask("DescribeTable", ["TableName": .string(name)])["Table"]
        var create: JSONObject = [
            "TableName": .string(name), "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": table?["AttributeDefinitions"] ?? [],
            "KeySchema": table?["KeySchema"] ?? [],
        ]
        for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
            guard let indexes = table?[kind]?.arrayValue else { continue }
            create[kind] = .array(
                indexes.map { index in
                    [
                        "IndexName": index["IndexName"] ?? "",
                        "KeySchema": index["KeySchema"] ?? [],
                        "Projection": index["Projection"] ?? [:],
                    ]
                })
        }
        var record: JSONObject = ["kind": "table", "create": .object(create)]
        let expiry = try ask("DescribeTimeToLive", ["TableName": .string(name)])
        if let attribute = expiry["TimeToLiveDescription"]?["AttributeName"] {
            record["expiryAttribute"] = attribute
        }
        return .object(record)
    }

    func take(_ record: JSON) throws {
        guard record["kind"] == "table" else {
            let item = record["item"] ?? .null
            _ = try ask(
                "PutItem", ["TableName": .string(try record.required("table")), "Item": item])
            return
        }
        guard let create = record["create"]?.objectValue else {
            throw StateFailure("missing member create")
        }
        let name = try JSON.object(create).required("TableName")
        guard try !tableNames().contains(name) else { return }
        _ = try ask("CreateTable", create)
        guard let attribute = record["expiryAttribute"] else { return }
        _ = try ask(
            "UpdateTimeToLive",
            [
                "TableName": .string(name),
                "TimeToLiveSpecification": ["AttributeName": attribute, "Enabled": true],
            ])
    }

    func clear() throws {
        for name in try tableNames() { _ = try ask("DeleteTable", ["TableName": .string(name)]) }
    }

    private func tableNames() throws -> [String] {
        do throws(TableClient.Refusal) {
            return try TableClient(service: service).names()
        } catch {
            throw StateFailure("ListTables: \(error.message)")
        }
    }

    private func ask(_ operation: String, _ request: JSONObject) throws -> JSON {
        do throws(TableClient.Refusal) {
            return try TableClient(service: service).ask(operation, request)
        } catch {
            throw StateFailure("\(operation): \(error.message)")
        }
    }
}
