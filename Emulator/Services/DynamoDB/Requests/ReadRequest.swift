internal import JSON

/// What of an item is asked for: the part of GetItem, BatchGetItem and TransactGetItems that they
/// share.
struct ReadRequest {
    private let reader: RequestReader
    private let expression: String?
    private let names: JSONObject?

    init(_ reader: inout RequestReader) throws(DynamoDBError) {
        expression = try reader.string("ProjectionExpression")
        names = try reader.object("ExpressionAttributeNames")
        self.reader = reader
    }

    /// Nil is the whole item.
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
