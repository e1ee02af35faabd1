package import Bytes
internal import HTTP
internal import JSON

/// Reads parameters that the configuration refers to (Systems Manager Parameter Store).
package struct SSMClient: Sendable {
    // A parameter has at most 8 KiB.
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 64 << 10)

    private let service: JSONService

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = JSONService(
            service: AWSService(name: .ssm, settings: settings, ports: ports),
            credentials: credentials, targetPrefix: "AmazonSSM", version: "1.1",
            limits: Self.limits)
    }

    /// `decrypted` decrypts a `SecureString`; it has no effect on other parameters.
    package func getParameter(
        name: String, decrypted: Bool
    ) throws(AWSFailure) -> SecretBytes {
        let answer = try service.call(
            AWSCall("GetParameter", ["Name": .string(name), "WithDecryption": .bool(decrypted)]))
        guard let value = answer["Parameter"]?["Value"]?.stringValue else {
            throw .malformedResponse
        }
        return SecretBytes(utf8: value)
    }
}
