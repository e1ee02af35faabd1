internal import AWSClients
internal import JSON
package import KeyValueStore
internal import Time

extension DynamoDBStore {
    private static let tableRoundsMax = 60

    /// Creates the table if it does not exist and enables time to live. For tests and setup;
    /// functions have no permission for it.
    package func createTable() throws(StoreFailure) {
        do throws(AWSFailure) {
            _ = try call.send(AWSCall("CreateTable", Self.description(of: table)))
        } catch {
            // The table exists, or another process is creating it.
            guard case .refused(let refusal) = error, refusal.code == "ResourceInUseException"
            else { throw failures.reading(error) }
        }
        for _ in 0..<Self.tableRoundsMax {
            if try tableStatus() == "ACTIVE" { return try enableTimeToLive() }
            pause(.seconds(1))
        }
        throw failures.unavailable("the table does not become active")
    }

    private func tableStatus() throws(StoreFailure) -> String? {
        try perform("DescribeTable", ["TableName": .string(table)])["Table"]?["TableStatus"]?
            .stringValue
    }

    private func enableTimeToLive() throws(StoreFailure) {
        let answer = try perform("DescribeTimeToLive", ["TableName": .string(table)])
        let status = answer["TimeToLiveDescription"]?["TimeToLiveStatus"]?.stringValue
        guard status != "ENABLED", status != "ENABLING" else { return }
        _ = try perform(
            "UpdateTimeToLive",
            [
                "TableName": .string(table),
                "TimeToLiveSpecification": [
                    "AttributeName": .string(StoredItem.timeToLive), "Enabled": true,
                ],
            ])
    }

    private static func description(of table: String) -> JSON {
        let keys = [(StoredItem.partition, "HASH"), (StoredItem.sort, "RANGE")]
        return [
            "TableName": .string(table),
            "AttributeDefinitions": .array(
                keys.map { ["AttributeName": .string($0.0), "AttributeType": "S"] }),
            "KeySchema": .array(
                keys.map { ["AttributeName": .string($0.0), "KeyType": .string($0.1)] }),
            "BillingMode": "PAY_PER_REQUEST",
        ]
    }
}
