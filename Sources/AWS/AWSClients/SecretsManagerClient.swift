package import Bytes
internal import HTTP
internal import JSON

/// Reads secrets that the configuration refers to.
package struct SecretsManagerClient: Sendable {
    // A secret has at most 64 KiB.
    static let limits = HTTPLimits(
        connectMillisecondsMax: 1000, totalMillisecondsMax: 5000, responseBytesMax: 256 << 10)

    private let service: JSONService

    package init(_ settings: AWSSettings, _ ports: AWSPorts, credentials: CredentialsProvider) {
        service = JSONService(
            service: AWSService(name: .secretsManager, settings: settings, ports: ports),
            credentials: credentials, targetPrefix: "secretsmanager", version: "1.1",
            limits: Self.limits)
    }

    /// The current version of the secret with this name or ARN, text or binary.
    package func getSecretValue(id: String) throws(AWSFailure) -> SecretBytes {
        let answer = try service.call(
            AWSCall("GetSecretValue", ["SecretId": .string(id)]))
        if let text = answer["SecretString"]?.stringValue { return SecretBytes(utf8: text) }
        guard let encoded = answer["SecretBinary"]?.stringValue,
            let bytes = Base64.decode(encoded)
        else { throw .malformedResponse }
        return SecretBytes(bytes)
    }
}
