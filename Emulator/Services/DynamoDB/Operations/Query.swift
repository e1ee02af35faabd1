internal import Bytes

extension DynamoDBService {
    func query(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let parameters = try RangeReadRequest(&reader, isQuery: true)
        let isAscending = try reader.bool("ScanIndexForward") ?? true
        try reader.finish()
        let read = try parameters.checked(isQuery: true)
        guard let condition = read.keyCondition else {
            throw .validation(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified "
                    + "in the request.")
        }
        return try withTables { tables throws(DynamoDBError) in
            let target = try ReadTarget(read, in: tables)
            let keys = try KeyCondition(condition, schema: target.schema)
            try Self.checkFilter(read, target)
            var range = keys.range(in: target.space, target.schema)
            if let start = read.startKey {
                let row = try target.row(ofStart: start)
                guard row.starts(with: target.space.key(target.schema.partition(keys.hash)))
                else { throw ReadTarget.invalidStart }
                range.resume(after: row, isAscending: isAscending)
            }
            let page = try RangePage(
                read, of: target, range, isAscending: isAscending, in: tables)
            return page.answer(read, target, parameters.detail)
        }
    }

    /// A filter may not use key attributes.
    private static func checkFilter(_ read: RangeRead, _ target: ReadTarget) throws(DynamoDBError) {
        guard let filter = read.filter,
            let key = filter.roots.first(where: target.schema.contains)
        else { return }
        throw .validation(
            "Filter Expression can only contain non-primary key attributes: "
                + "Primary key attribute: \(key)")
    }
}
