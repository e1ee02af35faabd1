internal import HTTP
package import JSON

/// DynamoDB by its JSON protocol; also the emulator's, and ScyllaDB Alternator's.
package struct DynamoDBClient: Sendable {
    // DynamoDB answers at most 16 MB, a page of a query at most 1 MB.
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 17 << 20)

    private let service: JSONService

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = JSONService(
            service: AWSService(name: .dynamoDB, settings: settings, ports: ports),
            credentials: credentials, targetPrefix: "DynamoDB_20120810", version: "1.0",
            limits: Self.limits)
    }

    /// `operation` is the API's name, such as `GetItem`; the answer is always an object.
    ///
    /// A conditional write without a `ClientRequestToken` should repeat
    /// `.onlyWhenNothingHappened`: repeated after a lost answer it meets its own effect, and
    /// reports a failed condition for a write that succeeded.
    package func call(
        operation: String, body: JSON, repeating: Repetition = .always
    ) throws(AWSFailure) -> JSON {
        try service.call(operation, body, repeating: repeating)
    }
}
