import AppSupport
import Foundation
import LatchkeyClient
import LatchkeyUploads

/// Signed calls of AWS. An ordinary app uses an SDK for them.
struct AWSCall: Sendable {
    /// The value of `AWS_ENDPOINT_URL`.
    let endpoint: URL
    let region: String
    private let accessKeyID: String
    private let secretAccessKey: String
    private var sessionToken: String?
    let transport: any Transport
    let clock: any SessionClock

    /// Reads the variables that an SDK reads: the app's own permission to invoke the function.
    init?(environment: [String: String], transport: any Transport, clock: any SessionClock) {
        guard let endpoint = environment["AWS_ENDPOINT_URL"].flatMap({ URL(string: $0) }),
            let id = environment["AWS_ACCESS_KEY_ID"],
            let secret = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        self.endpoint = endpoint
        region = environment["AWS_REGION"] ?? "us-east-1"
        accessKeyID = id
        secretAccessKey = secret
        self.transport = transport
        self.clock = clock
    }

    /// The same call with the credentials of a user.
    init(_ other: AWSCall, with keys: STSCredentials) {
        endpoint = other.endpoint
        region = other.region
        accessKeyID = keys.accessKeyId
        secretAccessKey = keys.secretAccessKey
        sessionToken = keys.sessionToken
        transport = other.transport
        clock = other.clock
    }

    enum Method: String {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    func send(
        _ service: String, _ method: Method, _ path: String, _ body: Data = Data()
    ) async throws -> ClientResponse {
        var request = ClientRequest(method.rawValue, endpoint.appending(path: path), body: body)
        RequestSignature(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: sessionToken,
            region: region, service: service
        ).sign(&request, at: clock.now(), payload: RequestSignature.payload(of: body))
        return try await transport.send(request)
    }
}
