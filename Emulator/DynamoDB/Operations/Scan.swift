extension DynamoDBService {
    private static let segmentsMax = 1_000_000

    func scan(_ request: RequestReader) throws(DynamoDBError) -> [UInt8] {
        var reader = request
        let parameters = try RangeReadRequest(&reader, isQuery: false)
        let segment = try reader.integer("Segment", min: 0, max: Self.segmentsMax - 1)
        let total = try reader.integer("TotalSegments", min: 1, max: Self.segmentsMax)
        try reader.finish()
        let read = try parameters.checked(isQuery: false)
        try Self.check(segment: segment, of: total)
        return try withTables { tables throws(DynamoDBError) in
            let target = try ReadTarget(read, in: tables)
            var range = target.space.all
            if let segment, let total { range = target.space.segment(segment, of: total) }
            if let start = read.startKey {
                let row = try target.row(ofStart: start)
                if let segment, let total,
                    row.lexicographicallyPrecedes(range.lower)
                        || !row.lexicographicallyPrecedes(range.upper)
                {
                    throw .validation(
                        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please "
                            + "use ExclusiveStartKey with correct Segment. TotalSegments: "
                            + "\(total) Segment: \(segment)")
                }
                range.resume(after: row, isAscending: true)
            }
            let page = try RangePage(read, of: target, range, isAscending: true, in: tables)
            return page.answer(read, target, parameters.detail)
        }
    }

    private static func check(segment: Int?, of total: Int?) throws(DynamoDBError) {
        switch (segment, total) {
        case (nil, nil): return
        case (_?, nil):
            throw .validation(
                "The TotalSegments parameter is required but was not present in the request when "
                    + "Segment parameter is present")
        case (nil, _?):
            throw .validation(
                "The Segment parameter is required but was not present in the request when "
                    + "parameter TotalSegments is present")
        case (let segment?, let total?):
            guard segment < total else {
                throw .validation(
                    "The Segment parameter is zero-based and must be less than parameter "
                        + "TotalSegments: Segment: \(segment) is not less than TotalSegments: "
                        + "\(total)")
            }
        }
    }
}
