internal import JSON

/// Which attributes are requested: the common part of GetItem, BatchGetItem and TransactGetItems.
struct ReadRequest {
    private let reader: RequestReader
    private let expression: String?
    private let names: JSONObject?

    init(_ reader: inout RequestReader) throws(DynamoDBError) {
        expression = try reader.string("ProjectionExpression")
        names = try reader.object("ExpressionAttributeNames")
        self.reader = reader
    }

    /// Nil means the whole item.
    func projection() throws(DynamoDBError) -> Projection? {
        try LegacyParameters.refuse(in: reader)
        guard let expression else {
            if names != nil {
                throw .validation(
                    "ExpressionAttributeNames can only be specified when using expressions")
            }
            return nil
        }
        var placeholders = try Placeholders(names: names, values: nil)
        let projection = try Projection.parse(expression, &placeholders)
        try placeholders.checkAllUsed()
        return projection
    }
}
