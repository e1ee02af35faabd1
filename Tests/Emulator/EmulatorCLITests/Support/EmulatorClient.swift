import AWSSignature
import BaseTestSupport
import Foundation
import HTTPClient

/// A client of a running emulator, with a connection to each port.
final class EmulatorClient: Sendable {
    let emulator: EmulatorProcess
    private let transport = CurlTransport(trust: CertificateTrust { _ in nil })

    static let limits = HTTPLimits(
        connectMillisecondsMax: 20_000, totalMillisecondsMax: 60_000, responseBytesMax: 32 << 20)

    init(_ emulator: EmulatorProcess) { self.emulator = emulator }

    /// Sends a request to the app endpoint.
    func app(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        headers: [(String, String)] = [("Content-Type", "application/json")]
    ) throws -> HTTPResponse {
        try send(method, emulator.appURL + path, Array(body.utf8), headers)
    }

    /// Sends a request to the control port.
    func controls(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        headers: [(String, String)] = [("Content-Type", "application/json")]
    ) throws -> HTTPResponse {
        try send(method, emulator.controlURL + path, Array(body.utf8), headers)
    }

    /// Sends an unsigned request to the AWS endpoint.
    func aws(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = [],
        headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try send(method, emulator.awsURL + path, body, headers)
    }

    func table(_ operation: String, _ request: JSON) throws -> HTTPResponse {
        try target("DynamoDB_20120810.\(operation)", request)
    }

    /// Sends a request with an `X-Amz-Target` header.
    func target(_ operation: String, _ request: JSON) throws -> HTTPResponse {
        try aws(
            .post, "/", request.serialized,
            headers: [
                ("Content-Type", "application/x-amz-json-1.0"), ("X-Amz-Target", operation),
            ])
    }

    /// Sends a request to S3, signed with the developer's keys.
    func object(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = []
    ) throws -> HTTPResponse {
        let request = HTTPRequest(
            method, emulator.awsURL + path,
            headers: [HTTPHeader("Content-Type", "application/octet-stream")], body: body,
            limits: Self.limits)
        return try sendSigned(request, service: "s3")
    }

    /// Signs with the developer's key.
    func sendSigned(_ request: HTTPRequest, service: String) throws -> HTTPResponse {
        let key = EmulatorProcess.developerKey
        let credentials = AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key))
        let signer = Signer(credentials, region: "us-east-1", service: service)
        return try transport.send(signer.sign(request, at: WallClock.system.now()))
    }

    func invoke(
        _ function: String, _ payload: String, headers: [(String, String)] = []
    ) throws -> HTTPResponse {
        try aws(
            .post, "/2015-03-31/functions/\(function)/invocations", Array(payload.utf8),
            headers: headers)
    }

    private func send(
        _ method: HTTPRequest.Method, _ url: String, _ body: [UInt8],
        _ headers: [(String, String)]
    ) throws -> HTTPResponse {
        try transport.send(
            HTTPRequest(
                method, url, headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body,
                limits: Self.limits))
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSON? {
        try? JSON.parse(body, limits: JSONLimits(bytesMax: 32 << 20, depthMax: 64))
    }
}
