import AWSClients
import AWSSignature
import BaseTestSupport
import Foundation
import HTTPClient

/// The production code path, to services that accept any signature.
enum Service {
    static let pause: @Sendable (Span) -> Void = { usleep(UInt32($0.milliseconds) * 1000) }

    private static let transport = CurlTransport(trust: CertificateTrust { _ in nil })

    static func moto() throws -> DynamoDBClient {
        try client(url: MotoServer.shared().url, transport: transport.transport, pause: pause)
    }

    /// The emulator's DynamoDB.
    static func emulator() throws -> DynamoDBClient {
        try client(
            url: EmulatorProcess.shared().awsURL, transport: transport.transport, pause: pause)
    }

    static func client(
        url: String, transport: HTTPTransport, pause: @escaping @Sendable (Span) -> Void
    ) throws -> DynamoDBClient {
        let environment = ["AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": url]
        let credentials = AWSCredentials(
            accessKeyID: "AKIATEST", secretAccessKey: SecretBytes(utf8: "secret"))
        return DynamoDBClient(
            try AWSSettings { environment[$0] },
            AWSPorts(transport: transport, clock: .system, random: .system, sleep: pause),
            credentials: .fixed(credentials))
    }
}
