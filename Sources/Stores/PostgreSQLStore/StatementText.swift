internal import PostgreSQL

/// A statement under construction. Values are always parameters.
struct StatementText {
    private(set) var text: String
    private var values: [PostgreSQLValue] = []

    init(_ text: String = "") { self.text = text }

    /// The placeholder of a value.
    mutating func value(_ value: PostgreSQLValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    /// `($1, $2, …)`
    mutating func row(_ values: [PostgreSQLValue]) -> String {
        "(" + values.map { value($0) }.joined(separator: ", ") + ")"
    }

    static func += (statement: inout StatementText, text: String) { statement.text += text }

    var statement: PostgreSQLStatement { PostgreSQLStatement(text, values) }
}
