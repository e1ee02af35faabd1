internal import JSON
internal import Time

extension DynamoDBService {
    func arn(of table: String) -> String {
        "arn:aws:dynamodb:\(region):\(account):table/\(table)"
    }

    func description(
        of table: TableDefinition, _ status: String, count: Int, bytes: Int,
        indexStatus: ((IndexDefinition) -> String)? = nil
    ) -> JSON {
        var members: [(String, JSON)] = [
            ("AttributeDefinitions", .array(table.attributes.map(\.description))),
            ("TableName", .string(table.name)), ("KeySchema", table.schema.description),
            ("TableStatus", .string(status)),
            ("CreationDateTime", Self.seconds(table.createdAt)),
            ("ProvisionedThroughput", Self.description(table.throughput)),
            ("TableSizeBytes", .number(bytes)), ("ItemCount", .number(count)),
            ("TableArn", .string(arn(of: table.name))), ("TableId", .string(table.id)),
            ("DeletionProtectionEnabled", .bool(table.isDeletionProtected)),
        ]
        if table.throughput == nil {
            members.append(("BillingModeSummary", Self.onDemand(table.onDemandSince)))
        }
        if let tableClass = table.tableClass {
            members.append(("TableClassSummary", ["TableClass": .string(tableClass)]))
        }
        for (name, isLocal) in [
            ("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false),
        ] {
            let indexes = table.indexes.filter { $0.isLocal == isLocal }.map { index in
                description(
                    of: index, in: table, indexStatus?(index) ?? status, count: count,
                    bytes: bytes)
            }
            if !indexes.isEmpty { members.append((name, .array(indexes))) }
        }
        return .object(JSONObject(members))
    }

    private static func onDemand(_ since: Instant?) -> JSON {
        var members: [(String, JSON)] = [("BillingMode", "PAY_PER_REQUEST")]
        if let since {
            members.append(("LastUpdateToPayPerRequestDateTime", seconds(since)))
        }
        return .object(JSONObject(members))
    }

    private func description(
        of index: IndexDefinition, in table: TableDefinition, _ status: String, count: Int,
        bytes: Int
    ) -> JSON {
        var members: [(String, JSON)] = [
            ("IndexName", .string(index.name)), ("KeySchema", index.schema.description),
            ("Projection", index.projected.description), ("IndexSizeBytes", .number(bytes)),
            ("ItemCount", .number(count)),
            ("IndexArn", .string("\(arn(of: table.name))/index/\(index.name)")),
        ]
        if !index.isLocal {
            members.append(("IndexStatus", .string(status)))
            members.append(("ProvisionedThroughput", Self.description(index.throughput)))
            if status == "CREATING" { members.append(("Backfilling", false)) }
        }
        return .object(JSONObject(members))
    }

    private static func description(_ throughput: Throughput?) -> JSON {
        [
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": .number(throughput?.reads ?? 0),
            "WriteCapacityUnits": .number(throughput?.writes ?? 0),
        ]
    }

    /// Seconds with a fraction, the service's format of times.
    static func seconds(_ instant: Instant) -> JSON {
        let milliseconds = String(instant.milliseconds - instant.seconds * 1000)
        let fraction = String(repeating: "0", count: 3 - milliseconds.utf8.count) + milliseconds
        return JSONNumber(literal: "\(instant.seconds).\(fraction)").map(JSON.number)
            ?? .number(instant.seconds)
    }
}

extension KeyAttribute {
    fileprivate var description: JSON {
        ["AttributeName": .string(name), "AttributeType": .string(kind.rawValue)]
    }
}

extension KeySchema {
    fileprivate var description: JSON {
        var elements: [JSON] = [["AttributeName": .string(hash.name), "KeyType": "HASH"]]
        if let range {
            elements.append(["AttributeName": .string(range.name), "KeyType": "RANGE"])
        }
        return .array(elements)
    }
}

extension IndexDefinition.Projected {
    fileprivate var description: JSON {
        switch self {
        case .all: ["ProjectionType": "ALL"]
        case .keysOnly: ["ProjectionType": "KEYS_ONLY"]
        case .include(let names):
            ["ProjectionType": "INCLUDE", "NonKeyAttributes": .array(names.map(JSON.string))]
        }
    }
}
