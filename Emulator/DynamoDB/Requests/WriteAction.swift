/// One write of PutItem, UpdateItem, DeleteItem or a transaction.
struct WriteAction {
    enum Kind {
        case put, update, delete, check
    }

    let kind: Kind
    let tableName: String
    /// The item of a put, or the key for other actions.
    let subject: AttributeMap
    let condition: DynamoDBCondition?
    let update: UpdateExpression?
    let returnsItemOnFailure: Bool
}

extension WriteAction {
    /// The item's key, validated against the table.
    func key(in table: TableDefinition) throws(DynamoDBError) -> DynamoDBItemKey {
        switch kind {
        case .put:
            let key = try table.key(inItem: subject)
            for index in table.indexes { try index.check(subject) }
            return key
        case .update:
            let key = try table.key(subject)
            if let part = update?.actions.first(where: { table.schema.contains($0.path.root) }) {
                throw .invalidParameters(
                    "Cannot update attribute \(part.path.root). This attribute is part of the key")
            }
            try checkIndexKeys(in: table)
            return key
        case .delete, .check: return try table.key(subject)
        }
    }

    /// A nested attribute of an index key cannot be updated, because the key cannot be a document.
    private func checkIndexKeys(in table: TableDefinition) throws(DynamoDBError) {
        guard !table.indexes.isEmpty, let update else { return }
        for action in update.actions where !action.path.rest.isEmpty {
            let name = action.path.root
            guard table.indexes.contains(where: { $0.schema.contains(name) }) else { continue }
            throw .invalidParameters(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are "
                    + "not allowed: IndexKey: \(name)")
        }
    }

    func checkSize() throws(DynamoDBError) {
        guard kind != .put || ItemSize.of(subject) <= ItemSize.itemBytesMax else {
            throw .validation("Item size has exceeded the maximum allowed size")
        }
    }

    func conditionHolds(for old: AttributeMap?) -> Bool {
        condition?.holds(for: old ?? AttributeMap()) ?? true
    }

    /// The item after the write; nil if there is none.
    func result(_ old: AttributeMap?, in table: TableDefinition) throws(DynamoDBError)
        -> AttributeMap?
    {
        switch kind {
        case .put: return subject
        case .delete: return nil
        case .check: return old
        case .update:
            guard let update else { return old ?? subject }
            if old == nil, !update.creates { return nil }
            let new = try update.applied(to: old, base: subject)
            for index in table.indexes { try index.check(new) }
            guard ItemSize.of(new) <= ItemSize.itemBytesMax else {
                throw .validation("Item size to update has exceeded the maximum allowed size")
            }
            return new
        }
    }
}
