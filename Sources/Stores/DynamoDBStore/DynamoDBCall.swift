package import AWSClients
package import JSON

/// How calls reach the DynamoDB API, tried again as far as their `Repetition` allows: by a
/// `DynamoDBClient`, or by a script of answers in a test.
package struct DynamoDBCall: Sendable {
    package typealias Outcome = Result<JSON, AWSFailure>

    package let send: @Sendable (AWSCall) throws(AWSFailure) -> JSON
    /// At the same time; the outcomes are in the order of the calls.
    package let sendAll: @Sendable ([AWSCall]) -> [Outcome]

    /// One call after the other.
    package init(send: @escaping @Sendable (AWSCall) throws(AWSFailure) -> JSON) {
        self.send = send
        sendAll = { calls in
            calls.map { call in Result { () throws(AWSFailure) in try send(call) } }
        }
    }

    package init(_ client: DynamoDBClient) {
        send = { call throws(AWSFailure) in
            try client.call(
                operation: call.operation, body: call.body, repeating: call.repetition)
        }
        sendAll = { client.callAll($0) }
    }
}
