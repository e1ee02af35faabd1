internal import JSON

/// The capacity units that a request consumes.
package struct ConsumedUnits: Sendable, Equatable {
    package var read = 0.0
    package var written = 0.0
}

extension DynamoDBService {
    /// Answers a request, and measures it. The answer may have `ConsumedCapacity`, although the
    /// caller has not asked for it.
    package func measured(
        _ call: DynamoDBRequest
    ) -> (answer: DynamoDBResponse, units: ConsumedUnits) {
        guard let operation = call.operation, var request = try? Self.parse(call.body) else {
            return (answer(call), ConsumedUnits())
        }
        if request["ReturnConsumedCapacity"] == nil {
            request["ReturnConsumedCapacity"] = .string(CapacityDetail.total.rawValue)
        }
        var measured = call
        measured.body = JSON.object(request).serialized
        let answer = answer(measured)
        let units =
            answer.status == 200
            ? Self.consumed(answer.body) : unitsOfFailedWrites(operation, request)
        return operation.isRead
            ? (answer, ConsumedUnits(read: units)) : (answer, ConsumedUnits(written: units))
    }

    private static func consumed(_ answer: [UInt8]) -> Double {
        guard let capacity = (try? JSON.parse(answer, limits: .response))?["ConsumedCapacity"]
        else { return 0 }
        return (capacity.arrayValue ?? [capacity]).reduce(0) { sum, table in
            guard case .number(let units)? = table["CapacityUnits"] else { return sum }
            return sum + (Double(units.text) ?? 0)
        }
    }

    /// A write is charged even if its condition fails, but then the answer does not contain the
    /// units.
    private func unitsOfFailedWrites(_ operation: DynamoDBOperation, _ request: JSONObject)
        -> Double
    {
        let isTransaction = operation == .transactWriteItems
        let parts =
            isTransaction
            ? (request["TransactItems"]?.arrayValue ?? []).flatMap {
                $0.objectValue?.members.map { ($0.name, $0.value) } ?? []
            } : [(operation.rawValue, .object(request))]
        let units = try? withTables { tables throws(DynamoDBError) in
            var capacity = Capacity("")
            for (name, part) in parts {
                guard let kind = Self.writes[name], let part = part.objectValue else { continue }
                var reader = RequestReader(part)
                let write = try WriteActionRequest(kind, &reader, isAlone: !isTransaction).checked()
                let table = try tables.table(write.tableName)
                let old = try tables.item(try write.key(in: table), in: table)
                capacity.write(
                    old, kind == .put ? write.subject : old, in: table,
                    isTransaction: isTransaction)
            }
            return capacity.units
        }
        return units ?? 0
    }

    private static let writes: [String: WriteAction.Kind] = [
        "PutItem": .put, "UpdateItem": .update, "DeleteItem": .delete, "Put": .put,
        "Update": .update, "Delete": .delete, "ConditionCheck": .check,
    ]
}

extension DynamoDBOperation {
    fileprivate var isRead: Bool {
        switch self {
        case .getItem, .batchGetItem, .transactGetItems, .query, .scan: true
        default: false
        }
    }
}
