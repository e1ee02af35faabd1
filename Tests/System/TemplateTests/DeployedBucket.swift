import AWSSignature
import BaseTestSupport
import Foundation
import HTTPClient

/// Requests to S3 with a user's storage credentials, or the developer's key.
struct DeployedBucket {
    private let deployed: DeployedTemplate
    private let keys: AWSCredentials
    private let bucket: String
    private let transport = CurlTransport(trust: CertificateTrust { _ in nil }).transport

    /// - Parameter granted: the answer of `/auth/credentials`.
    init(_ deployed: DeployedTemplate, grantedBy granted: DeployedTemplate.Answer) throws {
        let given = try #require(granted.body["credentials"], "\(granted.body.text)")
        self.deployed = deployed
        keys = AWSCredentials(
            accessKeyID: try #require(given["accessKeyId"]?.stringValue),
            secretAccessKey: SecretBytes(utf8: try #require(given["secretAccessKey"]?.stringValue)),
            sessionToken: SecretBytes(utf8: try #require(given["sessionToken"]?.stringValue)))
        bucket = try granted.text("bucket")
    }

    /// The whole bucket of such an answer.
    init(_ deployed: DeployedTemplate, ofDeveloper granted: DeployedTemplate.Answer) throws {
        self.deployed = deployed
        let key = EmulatorProcess.developerKey
        keys = AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key))
        bucket = try granted.text("bucket")
    }

    func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
    ) throws -> HTTPResponse {
        let request = HTTPRequest(
            method, "\(deployed.emulator.awsURL)/\(bucket)\(path)", body: Array(body.utf8))
        let signer = Signer(keys, region: "us-east-1", service: "s3")
        return try transport.send(try signer.sign(request, at: WallClock.system.now()))
    }

    func text(_ path: String) throws -> String {
        String(decoding: try call(.get, path).body, as: UTF8.self)
    }

    static func waits(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<200 {
            if try condition() { return true }
            usleep(100_000)
        }
        return false
    }
}
