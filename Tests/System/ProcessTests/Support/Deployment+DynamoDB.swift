import AWSClients
import AWSSignature
import BaseTestSupport
import DynamoDBStore
import Foundation
import HTTPClient

/// The emulation of DynamoDB.
enum DynamoDB: CaseIterable, Sendable {
    case moto, emulator

    var url: String {
        get throws {
            switch self {
            case .moto: try MotoServer.shared().url
            case .emulator: try EmulatorProcess.shared().awsURL
            }
        }
    }
}

extension Deployment {
    /// The functions with a new table.
    static func on(
        _ dynamoDB: DynamoDB, _ settings: [(name: String, value: String)] = []
    ) throws -> Deployment {
        let url = try dynamoDB.url
        let table = "process-\(Hex.encode(RandomSource.system.bytes(8)))"
        var deployment = try Deployment(settings + dynamoDBSettings(table: table, url: url))
        let store = try store(table: table, url: url)
        try store.createTable()
        deployment.remoteStore = store
        return deployment
    }

    static func dynamoDBSettings(table: String, url: String) -> [(name: String, value: String)] {
        [
            ("STORE", "dynamodb:\(table)"), ("AWS_ENDPOINT_URL", url),
            ("AWS_REGION", "eu-central-1"), ("AWS_ACCESS_KEY_ID", "AKIATEST"),
            ("AWS_SECRET_ACCESS_KEY", "secret"), ("ISSUER", "https://auth.example.com"),
            ("MASTER_KEY", String(repeating: "k", count: 40)),
        ]
    }

    private static func store(table: String, url: String) throws -> DynamoDBStore {
        let variables = ["AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": url]
        let sleep: @Sendable (Span) -> Void = { usleep(UInt32($0.milliseconds) * 1000) }
        let client = DynamoDBClient(
            try AWSSettings { variables[$0] },
            AWSPorts(
                transport: CurlTransport(trust: CertificateTrust { _ in nil }).transport,
                clock: .system, random: .system, sleep: sleep),
            credentials: .fixed(
                AWSCredentials(
                    accessKeyID: "AKIATEST", secretAccessKey: SecretBytes(utf8: "secret"))))
        return DynamoDBStore(
            table: table, clock: .system, random: .system, pause: sleep,
            call: DynamoDBCall(client))
    }
}
