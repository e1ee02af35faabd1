package import AWSClients
package import JSON

/// Sends calls to the DynamoDB API, with the retries that their `Repetition` allows: a
/// `DynamoDBClient`, or scripted responses in a test.
package struct DynamoDBCall: Sendable {
    package typealias Outcome = Result<JSON, AWSFailure>

    package let send: @Sendable (AWSCall) throws(AWSFailure) -> JSON
    /// Sends calls concurrently; the results are in the order of the calls.
    package let sendAll: @Sendable ([AWSCall]) -> [Outcome]

    /// Sends one call after the other.
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
