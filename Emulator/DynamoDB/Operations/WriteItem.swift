/// PutItem, UpdateItem and DeleteItem: one operation with three kinds of write.
extension DynamoDBService {
    private enum Returns: String, CaseIterable {
        case allNew = "ALL_NEW"
        case updatedOld = "UPDATED_OLD"
        case allOld = "ALL_OLD"
        case none = "NONE"
        case updatedNew = "UPDATED_NEW"
    }

    func writeItem(
        _ kind: WriteAction.Kind, _ request: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let write = try WriteActionRequest(kind, &reader, isAlone: true)
        let word = try reader.word("ReturnValues", Returns.allCases.map(\.rawValue))
        let detail = try reader.returnConsumedCapacity()
        let metrics = try reader.word("ReturnItemCollectionMetrics", ["SIZE", "NONE"])
        try reader.finish()
        let returns = word.flatMap(Returns.init) ?? .none
        let action = try write.checked { () throws(DynamoDBError) in
            guard kind == .update || returns == .none || returns == .allOld else {
                throw .validation("ReturnValues can only be ALL_OLD or NONE")
            }
        }
        try action.checkSize()
        let (old, new, table) = try withTables(from: origin) { tables throws(DynamoDBError) in
            try Self.perform(action, on: &tables)
        }
        var answer = DynamoDBResponseWriter()
        let returned: AttributeMap? =
            switch returns {
            case .none: nil
            case .allOld: old
            case .allNew: new
            case .updatedOld: old.flatMap { action.update?.touched.applied(to: $0) }
            case .updatedNew: new.flatMap { action.update?.touched.applied(to: $0) }
            }
        if let returned, !returned.isEmpty { answer.member("Attributes", returned) }
        if detail != .none {
            var capacity = Capacity(table.name)
            capacity.write(old, new, in: table)
            answer.member("ConsumedCapacity", capacity.json(detail))
        }
        if metrics == "SIZE" {
            answer.member("ItemCollectionMetrics", ItemCollection.metrics(action.subject, table))
        }
        return answer.finished()
    }

    private static func perform(_ action: WriteAction, on tables: inout Tables)
        throws(DynamoDBError)
        -> (old: AttributeMap?, new: AttributeMap?, table: TableDefinition)
    {
        let table = try tables.table(action.tableName)
        let key = try action.key(in: table)
        let old = try tables.item(key, in: table)
        guard action.conditionHolds(for: old) else {
            throw .conditionalCheckFailed(action.returnsItemOnFailure ? old : nil)
        }
        let new = try action.result(old, in: table)
        if old != nil || new != nil {
            try tables.transaction { tables throws(DynamoDBError) in
                try tables.replace(old, with: new, at: key, in: table)
            }
        }
        return (old, new, table)
    }
}
