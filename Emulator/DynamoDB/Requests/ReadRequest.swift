internal import JSON

/// The requested attributes: the common part of GetItem, BatchGetItem and TransactGetItems.
struct ReadRequest {
    private let reader: RequestReader
    private let expression: String?
    private let names: JSONObject?
    private let attributesToGet: AttributesToGet?

    init(_ reader: inout RequestReader) throws(DynamoDBError) {
        expression = try reader.string("ProjectionExpression")
        names = try reader.object("ExpressionAttributeNames")
        attributesToGet = try AttributesToGet(&reader)
        self.reader = reader
    }

    /// Nil means the whole item.
    func projection() throws(DynamoDBError) -> Projection? {
        if attributesToGet != nil {
            try LegacyParameters.refuseMixing(
                ["AttributesToGet"], with: ["ProjectionExpression"], in: reader)
        }
        guard let expression else {
            if names != nil {
                throw .validation(
                    "ExpressionAttributeNames can only be specified when using expressions")
            }
            return try attributesToGet?.projection()
        }
        var placeholders = try Placeholders(names: names, values: nil)
        let projection = try Projection.parse(expression, &placeholders)
        try placeholders.checkAllUsed()
        return projection
    }
}
