import AuthTestSupport
import EmulatorBase
import EmulatorThirdParties
import TestSupport

/// The emulator's Apple, in this process, and the refresh tokens that it issued and revoked.
final class EmulatedApple: Sendable {
    static let prefix = IdentityService.prefix
    private static let path = "\(prefix)/apple"

    private let service: IdentityService
    private let tokens = Mutex<(issued: Set<String>, revoked: Set<String>)>(([], []))

    init() throws {
        service = try IdentityService(
            IdentityConfiguration(issuers: [.apple]), baseURL: "", directory: nil,
            ports: IdentityPorts(
                clock: .system, random: .system,
                keys: IssuerKeyFolder(path: RepositoryRoot.issuerKeys),
                after: { _, action in action() },
                deliver: { _, _, done in done(nil) }))
    }

    /// The address at which functions reach it.
    func settings(
        at url: String, in folder: TemporaryFolder
    ) throws -> [(name: String, value: String)] {
        service.setBaseURL(url)
        let key = try #require(try SigningKey.generate(.es256, random: .system).pem()).reveal()
        try folder.write(key, to: "apple.p8")
        return [
            ("APPLE_CLIENT_IDS", "com.example.app"), ("APPLE_ISSUER", url + Self.path),
            ("APPLE_TEAM_ID", "TEAM123456"), ("APPLE_KEY_ID", "KEY1234567"),
            ("APPLE_PRIVATE_KEY", "file:\(folder.file("apple.p8"))"),
        ]
    }

    /// The body of a sign-in; with a code for Apple's refresh token.
    func signIn(_ email: String, withCode: Bool) throws -> JSON {
        let request: JSON = ["email": .string(email), "withCode": .bool(withCode)]
        let response = send(
            ServerRequest(
                method: "POST", target: "\(Self.path)/mint",
                headers: [HTTPHeader("Content-Type", "application/json")],
                body: request.serialized))
        let minted = try JSON.parse(response.body, limits: .response)
        var body: JSONObject = ["provider": "apple", "idToken": try #require(minted["idToken"])]
        body["authorizationCode"] = minted["authorizationCode"]
        return .object(body)
    }

    /// Every refresh token that it issued.
    var issued: Set<String> { tokens.withLock { $0.issued } }
    var revoked: Set<String> { tokens.withLock { $0.revoked } }

    /// Answers a request of a function.
    func answer(_ request: HTTPRequestSeen) -> HTTPResponse {
        let response = send(
            ServerRequest(
                method: request.method, target: request.target, headers: request.headers,
                body: request.body))
        note(request, response)
        return HTTPResponse(status: response.status, headers: response.headers, body: response.body)
    }

    private func note(_ request: HTTPRequestSeen, _ response: ServerResponse) {
        guard response.status == 200 else { return }
        if request.path.hasSuffix("/auth/token"),
            let answer = try? JSON.parse(response.body, limits: .response),
            let token = answer["refresh_token"]?.stringValue
        {
            tokens.withLock { _ = $0.issued.insert(token) }
        }
        if request.path.hasSuffix("/auth/revoke") {
            let pairs = request.bodyText.split(separator: "&")
            let token = pairs.first { $0.hasPrefix("token=") }?.dropFirst("token=".count)
            if let token { tokens.withLock { _ = $0.revoked.insert(String(token)) } }
        }
    }

    private func send(_ request: ServerRequest) -> ServerResponse {
        let answer = Mutex<ServerResponse?>(nil)
        service.handle(request) { response in answer.withLock { $0 = response } }
        return answer.withLock { $0 } ?? ServerResponse(status: 503)
    }
}
