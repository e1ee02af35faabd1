import AWSSignature
import AppSupport
import Bytes
import Foundation
import HTTP
import LatchkeyClient
import Time

/// Calls of AWS, signed. An app on Apple's systems has an SDK for that.
struct AWSCall: Sendable {
    /// The value of `AWS_ENDPOINT_URL`.
    let endpoint: URL
    let region: String
    let credentials: AWSCredentials
    let transport: any Transport
    let clock: any SessionClock

    /// As an SDK finds them: the app's own permission to invoke the function.
    init?(environment: [String: String], transport: any Transport, clock: any SessionClock) {
        guard let endpoint = environment["AWS_ENDPOINT_URL"].flatMap({ URL(string: $0) }),
            let id = environment["AWS_ACCESS_KEY_ID"],
            let secret = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        self.init(
            endpoint: endpoint, region: environment["AWS_REGION"] ?? "us-east-1",
            credentials: AWSCredentials(
                accessKeyID: id, secretAccessKey: SecretBytes(utf8: secret)),
            transport: transport, clock: clock)
    }

    private init(
        endpoint: URL, region: String, credentials: AWSCredentials, transport: any Transport,
        clock: any SessionClock
    ) {
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
        self.transport = transport
        self.clock = clock
    }

    /// The same with the credentials of a user.
    func with(_ keys: STSCredentials) -> AWSCall {
        AWSCall(
            endpoint: endpoint, region: region,
            credentials: AWSCredentials(
                accessKeyID: keys.accessKeyId,
                secretAccessKey: SecretBytes(utf8: keys.secretAccessKey),
                sessionToken: SecretBytes(utf8: keys.sessionToken)),
            transport: transport, clock: clock)
    }

    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    func send(
        _ service: String, _ method: Method, _ path: String, _ body: Data = Data()
    ) async throws -> ClientResponse {
        let signer = Signer(credentials, region: region, service: service)
        let now = Instant(milliseconds: Int64(clock.now().timeIntervalSince1970 * 1000))
        let url = endpoint.appending(path: path)
        guard let signedMethod = HTTP.HTTPRequest.Method(rawValue: method.rawValue) else {
            throw FunctionFailed(status: 0)
        }
        let signed = try signer.sign(
            HTTP.HTTPRequest(signedMethod, url.absoluteString, body: Array(body)), at: now)
        let headers = signed.headers.map { ($0.name, $0.value) }
        return try await transport.send(
            ClientRequest(
                method.rawValue, url,
                headers: Dictionary(headers) { first, _ in first }, body: body))
    }
}
