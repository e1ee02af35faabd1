package import AWSClients
package import JSON

/// One operation of the DynamoDB API, tried again as far as `Repetition` allows: a
/// `DynamoDBClient`, or a script of answers in a test.
package struct DynamoDBCall: Sendable {
    package typealias Send =
        @Sendable (_ operation: String, _ body: JSON, Repetition) throws(AWSFailure) -> JSON

    package let send: Send

    package init(send: @escaping Send) { self.send = send }

    package init(_ client: DynamoDBClient) {
        send = { operation, body, repetition throws(AWSFailure) in
            try client.call(operation: operation, body: body, repeating: repetition)
        }
    }
}
