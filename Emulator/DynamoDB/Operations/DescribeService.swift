internal import JSON

/// Operations that describe the account and the service, with constant responses.
extension DynamoDBService {
    /// - Parameter host: the address of the request, so that endpoint discovery returns this
    ///   emulator.
    func describeEndpoints(_ host: String?) -> JSON {
        [
            "Endpoints": [
                [
                    "Address": .string(host ?? "dynamodb.\(region).amazonaws.com"),
                    "CachePeriodInMinutes": 1440,
                ]
            ]
        ]
    }

    func describeLimits() -> JSON {
        [
            "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
            "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000,
        ]
    }

    func describeContinuousBackups(_ request: RequestReader) throws(DynamoDBError) -> JSON {
        var reader = request
        let name = try reader.tableName()
        try reader.finish()
        _ = try withTables { tables throws(DynamoDBError) in try tables.described(name) }
        return [
            "ContinuousBackupsDescription": [
                "ContinuousBackupsStatus": "ENABLED",
                "PointInTimeRecoveryDescription": ["PointInTimeRecoveryStatus": "DISABLED"],
            ]
        ]
    }
}
