package import JSON

/// One call of an AWS API with the JSON protocol.
package struct AWSCall: Sendable {
    /// The API's name, such as `GetItem`.
    package let operation: String
    package let body: JSON
    package let repetition: Repetition

    package init(_ operation: String, _ body: JSON, repeating repetition: Repetition = .always) {
        self.operation = operation
        self.body = body
        self.repetition = repetition
    }
}
