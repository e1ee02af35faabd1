/// The parameters that expressions replaced in 2014. They are read into the same conditions,
/// updates and projections as expressions.
enum LegacyParameters {
    /// Refuses a request that has parameters of both kinds.
    static func refuseMixing(
        _ legacy: [String], with expressions: [String], in reader: RequestReader
    ) throws(DynamoDBError) {
        let legacy = legacy.filter(reader.has)
        guard !legacy.isEmpty else { return }
        let expressions = expressions.filter(reader.has)
        guard !expressions.isEmpty else { return }
        throw .validation(
            "Can not use both expression and non-expression parameters in the same request: "
                + "Non-expression parameters: {\(legacy.joined(separator: ", "))} "
                + "Expression parameters: {\(expressions.joined(separator: ", "))}")
    }
}

/// How several conditions are combined: `ConditionalOperator`.
enum ConditionalOperator: String {
    case and = "AND"
    case or = "OR"

    static func read(_ reader: inout RequestReader) throws(DynamoDBError) -> ConditionalOperator? {
        guard reader.has("ConditionalOperator") else { return nil }
        return try reader.word("ConditionalOperator", ["OR", "AND"]).flatMap(
            ConditionalOperator.init)
    }
}
