internal import HTTP
package import JSON

/// A client of DynamoDB's JSON protocol, also for the emulator and for ScyllaDB Alternator.
package struct DynamoDBClient: Sendable {
    // A response of DynamoDB has at most 16 MB, a page of a query at most 1 MB.
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 17 << 20)

    private let service: JSONService

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = JSONService(
            service: AWSService(name: .dynamoDB, settings: settings, ports: ports),
            credentials: credentials, targetPrefix: "DynamoDB_20120810", version: "1.0",
            limits: Self.limits)
    }

    /// `operation` is the API's name, such as `GetItem`; the response is always an object.
    ///
    /// A conditional write without a `ClientRequestToken` that is repeated after a lost response
    /// conflicts with itself and reports a failed condition for a write that succeeded.
    package func call(
        operation: String, body: JSON, repeating: Repetition = .always
    ) throws(AWSFailure) -> JSON {
        try service.call(AWSCall(operation, body, repeating: repeating))
    }

    /// Performs independent calls concurrently, each over its own connection, with the retry rules
    /// of a single call. The results are in the order of the calls.
    package func callAll(_ calls: [AWSCall]) -> [Result<JSON, AWSFailure>] {
        service.callAll(calls)
    }
}
