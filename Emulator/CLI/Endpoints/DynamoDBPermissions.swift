internal import EmulatorDynamoDB
internal import EmulatorIAM
internal import JSON

/// The IAM actions that a DynamoDB operation needs, and on which tables.
enum DynamoDBPermissions {
    /// Each action of a transaction needs the permission of its own kind.
    private static let parts = [
        "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "Get": "GetItem",
        "ConditionCheck": "ConditionCheckItem",
    ]

    static func refusal(
        of identity: CallerIdentity, target: String, body: [UInt8], in context: PolicyContext
    ) -> DynamoDBAccessError? {
        let operation = String(target.split(separator: ".").last ?? "")
        // The service rejects an unreadable body itself.
        guard let request = try? JSON.parse(body, limits: limits) else { return nil }
        for (action, table) in needs(operation, request) {
            let arn = "arn:aws:dynamodb:\(AWSAccount.region):\(AWSAccount.id):table/\(table)"
            guard identity.decision(on: "dynamodb:\(action)", arn, in: context) == .allowed else {
                return .denied(
                    "User: \(identity.arn) is not authorized to perform: dynamodb:\(action) on "
                        + "resource: \(arn) because no identity-based policy allows the "
                        + "dynamodb:\(action) action")
            }
        }
        return nil
    }

    private static let limits = JSONLimits(bytesMax: 16 << 20, depthMax: 256, membersMax: nil)

    private static func needs(
        _ operation: String, _ request: JSON
    ) -> [(action: String, table: String)] {
        switch operation {
        case "TransactWriteItems", "TransactGetItems":
            return (request["TransactItems"]?.arrayValue ?? []).flatMap { item in
                (item.objectValue?.members ?? []).compactMap { name, part in
                    parts[name].map { ($0, tableName(part)) }
                }
            }
        case "BatchGetItem", "BatchWriteItem":
            return (request["RequestItems"]?.objectValue?.members ?? []).map {
                (operation, $0.name)
            }
        case "ListTables", "DescribeLimits", "DescribeEndpoints": return [(operation, "*")]
        case "Query", "Scan":
            let table = tableName(request)
            guard let index = request["IndexName"]?.stringValue else { return [(operation, table)] }
            return [(operation, "\(table)/index/\(index)")]
        default: return [(operation, tableName(request))]
        }
    }

    private static func tableName(_ request: JSON) -> String {
        let name = request["TableName"]?.stringValue ?? "*"
        return name.split(separator: "/").last.map(String.init) ?? name
    }
}
