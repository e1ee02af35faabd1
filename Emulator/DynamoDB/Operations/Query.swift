internal import Bytes

extension DynamoDBService {
    func query(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let parameters = try RangeReadRequest(&reader, isQuery: true)
        let isAscending = try reader.bool("ScanIndexForward") ?? true
        try reader.finish()
        let read = try parameters.checked(isQuery: true)
        guard let condition = read.keyCondition else {
            throw .validation("Conditions can be of length 1 or 2 only")
        }
        return try withTables { tables throws(DynamoDBError) in
            let target = try ReadTarget(read, in: tables)
            let keys = try KeyCondition(condition, schema: target.schema)
            try Self.checkFilter(read, target)
            var range = keys.range(in: target.space, target.schema)
            if let start = read.startKey {
                let row = try target.row(ofStart: start)
                try Self.check(start: start, row, in: range, keys, target)
                range.resume(after: row, isAscending: isAscending)
            }
            let page = try RangePage(
                read, of: target, range, isAscending: isAscending, in: tables)
            return page.answer(read, target, parameters.detail)
        }
    }

    /// Whether the query can have returned the item at which it is to be resumed.
    private static func check(
        start: AttributeMap, _ row: [UInt8], in range: KeyRange, _ keys: KeyCondition,
        _ target: ReadTarget
    ) throws(DynamoDBError) {
        guard target.schema.range != nil || target.index != nil else {
            let attributes = start.members.map { "\($0.name)=AttributeValue: \($0.value.shown)" }
            throw .validation(
                "The provided exclusive start key is invalid: ExclusiveStartKey: "
                    + "{\(attributes.joined(separator: ", "))}")
        }
        guard row.starts(with: target.space.key(target.schema.partition(keys.hash))) else {
            throw .validation(
                "The provided starting key is outside query boundaries based on provided "
                    + "conditions")
        }
        guard !row.lexicographicallyPrecedes(range.lower),
            row.lexicographicallyPrecedes(range.upper)
        else {
            throw .validation("The provided starting key does not match the range key predicate")
        }
    }

    /// A filter may not use key attributes.
    private static func checkFilter(_ read: RangeRead, _ target: ReadTarget) throws(DynamoDBError) {
        guard let filter = read.filter,
            let key = filter.roots.first(where: target.schema.contains)
        else { return }
        throw .validation(
            "\(read.isFilterLegacy ? "QueryFilter" : "Filter Expression") can only contain "
                + "non-primary key attributes: Primary key attribute: \(key)")
    }
}
