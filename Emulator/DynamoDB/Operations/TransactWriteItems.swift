internal import JSON
internal import Time

extension DynamoDBService {
    private static let transactionBytesMax = 4 << 20

    func transactWriteItems(
        _ request: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> JSON {
        var reader = request
        let items = try reader.requiredArray("TransactItems")
        let token = try reader.string("ClientRequestToken")
        let detail = try reader.returnConsumedCapacity()
        _ = try reader.word("ReturnItemCollectionMetrics", ["SIZE", "NONE"])
        if let token { reader.checkLength(token, "ClientRequestToken", 1...36) }
        reader.checkCount(of: items, "TransactItems", Self.actionsCount)
        var requests: [WriteActionRequest] = []
        for (index, item) in items.enumerated() {
            requests.append(try Self.action(WireReader.object(item), index, &reader))
        }
        try reader.finish()
        var actions: [WriteAction] = []
        for request in requests { actions.append(try request.checked()) }
        guard actions.reduce(0, { $0 + ItemSize.of($1.subject) }) <= Self.transactionBytesMax
        else {
            throw .validation(
                "Collection size cannot exceed \(Self.transactionBytesMax) bytes")
        }
        let use = token.map { TransactionToken(text: $0, items: items, at: clock.now()) }
        let capacities = try withTables(from: origin) { tables throws(DynamoDBError) in
            try Transaction(actions).perform(on: &tables, token: use)
        }
        guard detail != .none else { return [:] }
        return ["ConsumedCapacity": .array(capacities.compactMap { $0.json(detail) })]
    }

    private static func action(
        _ object: JSONObject, _ index: Int, _ reader: inout RequestReader
    ) throws(DynamoDBError) -> WriteActionRequest {
        let item = reader.part(object, "transactItems.\(index + 1).member")
        let kinds: [(name: String, place: String, kind: WriteAction.Kind)] = [
            ("ConditionCheck", "conditionCheck", .check), ("Put", "put", .put),
            ("Delete", "delete", .delete), ("Update", "update", .update),
        ]
        let present = kinds.filter { item.has($0.name) }
        guard present.count == 1, let kind = present.first else {
            throw .validation(
                "TransactItems can only contain one of Check, Put, Update or Delete")
        }
        var part = item.part(try item.object(kind.name) ?? JSONObject(), kind.place)
        let request = try WriteActionRequest(kind.kind, &part, isAlone: false)
        switch kind.kind {
        case .check: _ = try part.requiredString("ConditionExpression")
        case .update: _ = try part.requiredString("UpdateExpression")
        case .put, .delete: break
        }
        reader.include(part)
        return request
    }
}

/// Makes all of the writes or none.
private struct Transaction {
    private typealias Place = (
        action: WriteAction, table: TableDefinition, key: DynamoDBItemKey, old: AttributeMap?
    )

    private let actions: [WriteAction]

    init(_ actions: [WriteAction]) { self.actions = actions }

    func perform(on tables: inout Tables, token: TransactionToken?) throws(DynamoDBError)
        -> [Capacity]
    {
        for action in actions { _ = try tables.table(action.tableName) }
        if let token, try token.wasUsed(in: tables) { return [] }
        let places = try places(in: tables)
        let results = try results(places)
        return try tables.transaction { tables throws(DynamoDBError) in
            var capacities: [Capacity] = []
            for (place, new) in zip(places, results) {
                let known = capacities.firstIndex { $0.tableName == place.table.name }
                if known == nil { capacities.append(Capacity(place.table.name)) }
                capacities[known ?? capacities.count - 1].write(
                    place.old, new, in: place.table, isTransaction: true)
                guard place.action.kind != .check else { continue }
                try tables.replace(place.old, with: new, at: place.key, in: place.table)
            }
            try token?.save(in: tables)
            return capacities
        }
    }

    private func places(in tables: Tables) throws(DynamoDBError) -> [Place] {
        var places: [Place] = []
        var seen: Set<[UInt8]> = []
        for (index, action) in actions.enumerated() {
            let table = try tables.table(action.tableName)
            let key: DynamoDBItemKey
            do throws(DynamoDBError) {
                try action.checkSize()
                key = try action.key(in: table)
            } catch .validation(let reason) {
                throw canceled(.validationError(reason), at: index)
            }
            guard seen.insert(table.space.key(key.bytes)).inserted else {
                throw .severalOperationsOnOneItem
            }
            places.append((action, table, key, try tables.item(key, in: table)))
        }
        return places
    }

    /// The new item of each action. An invalid update is reported at once; failed conditions are
    /// reported together.
    private func results(_ places: [Place]) throws(DynamoDBError) -> [AttributeMap?] {
        var results: [AttributeMap?] = []
        var reasons: [CancellationReason] = []
        for (index, place) in places.enumerated() {
            let (action, table, _, old) = place
            guard action.conditionHolds(for: old) else {
                reasons.append(
                    .conditionalCheckFailed(action.returnsItemOnFailure ? old : nil))
                continue
            }
            reasons.append(.none)
            do throws(DynamoDBError) {
                results.append(try action.result(old, in: table))
            } catch .validation(let reason) {
                throw canceled(.validationError(reason), at: index)
            }
        }
        guard results.count == places.count else { throw .transactionCanceled(reasons) }
        return results
    }

    private func canceled(_ reason: CancellationReason, at index: Int) -> DynamoDBError {
        .transactionCanceled(actions.indices.map { $0 == index ? reason : .none })
    }
}
