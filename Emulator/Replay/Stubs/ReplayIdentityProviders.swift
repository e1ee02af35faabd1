internal import Cryptography
internal import EmulatorBase
internal import EmulatorThirdParties
internal import HTTP
internal import JOSE
internal import JSON
internal import Synchronization
internal import Time

/// The emulator's identity providers on a loopback port, with additional ones that fail in ways
/// that fixtures need, the breached passwords, and hooks with fixed answers.
final class ReplayIdentityProviders: Sendable {
    static let appleClientID = "com.example.app"
    static let googleClientID = "client.apps.googleusercontent.com"
    static let acmeClientID = "acme-client"
    static let appleRefreshToken = "r.apple.refresh.token.0123456789abcdef"

    let service: IdentityService
    private let server: Server
    private let counter = Atomic<Int64>(0)

    /// The paths below `/_idp/once/` that were requested.
    private final class SeenPaths: Sendable {
        private let paths = Mutex<Set<String>>([])

        func isFirst(_ path: String) -> Bool { paths.withLock { $0.insert(path).inserted } }
    }

    init(random: RandomSource) throws {
        let acme = IssuerDefinition(
            name: "acme", kind: .oidc, clients: [ClientDefinition(id: Self.acmeClientID)])
        var configuration = IdentityConfiguration(issuers: [.apple, .google, acme])
        // Generating RSA keys is slow, and fixtures expect a token that is sent to the wrong
        // provider to fail for its issuer.
        configuration.sharesKeys = true
        let service = try IdentityService(
            configuration, baseURL: "", directory: nil,
            ports: IdentityPorts(
                clock: .system, random: random, after: { _, action in action() },
                deliver: { _, _, done in done(nil) }))
        self.service = service
        let seen = SeenPaths()
        server = try Server { request, slot in
            let path = request.path.dropFirst(IdentityService.prefix.utf8.count)
            if path.hasPrefix("/once/") {
                guard seen.isFirst(String(path)) else { return Self.respond(Self.down, slot) }
                return service.handle(
                    ServerRequest(
                        method: "GET", target: "\(IdentityService.prefix)/apple/auth/keys"),
                    slot)
            }
            if let scripted = Self.scripted(path, request) {
                return Self.respond(scripted, slot)
            }
            service.handle(request, slot)
        }
        service.setBaseURL("http://127.0.0.1:\(server.port)")
    }

    /// The providers are at `/apple`, `/google` and `/acme` below it.
    var url: String { "http://127.0.0.1:\(server.port)\(IdentityService.prefix)" }

    func stop() { server.stop() }

    func nextSerial() -> Int64 { counter.add(1, ordering: .relaxed).newValue }

    /// Responses that the emulator's providers cannot give.
    private static func scripted(
        _ path: Substring, _ request: ServerRequest
    ) -> ServerResponse? {
        let base = "http://\(request.header("host") ?? "")\(IdentityService.prefix)"
        switch path {
        case "/impostor/.well-known/openid-configuration":
            return json([
                "issuer": .string("\(base)/acme"), "jwks_uri": .string("\(base)/acme/keys"),
            ])
        case "/apple/auth/token":
            let isGood = String(decoding: request.body, as: UTF8.self).contains("code=good-code")
            return isGood
                ? json([
                    "access_token": "a.apple.access.token", "token_type": "Bearer",
                    "expires_in": 3600, "refresh_token": .string(appleRefreshToken),
                ])
                : json(["error": "invalid_grant"], status: 400)
        default:
            if path.hasPrefix("/empty/") { return json(["keys": []]) }
            if path.hasPrefix("/html/") {
                return ServerResponse(status: 200, body: Array("<html>Oops</html>".utf8))
            }
            if path.hasPrefix("/breaches/") {
                return BreachedPasswordRanges.response(request, path: path.dropFirst(9))
            }
            if path.hasPrefix("/hooks/") { return hook(path.dropFirst(7), request) }
            return path.hasPrefix("/down") ? down : nil
        }
    }

    /// A signature must be present. The tests of the functions verify it.
    private static func hook(_ answer: Substring, _ request: ServerRequest) -> ServerResponse? {
        guard request.header("webhook-signature") != nil else {
            return json(["error": "not signed"], status: 401)
        }
        switch answer {
        case "allow": return json(["decision": "allow"])
        case "refuse": return json(["decision": "refuse", "reason": "blocked_region"])
        case "second-factor": return json(["decision": "secondFactor"])
        case "right":
            return json(["isRight": true, "isEmailVerified": true, "displayName": "Grace Hopper"])
        case "wrong": return json(["isRight": false])
        case "sent": return json(["sent": true])
        case "unreachable": return json(["sent": false])
        case "done": return json(["done": true])
        case "not-done": return json(["done": false])
        case "claims": return json(["claims": ["plan": "pro", "roles": ["editor"]]])
        case "reserved-claims": return json(["claims": ["plan": "pro", "sub": "another"]])
        default:
            // Refuses one operation, by its name, and allows the others.
            guard answer.hasPrefix("refuse/") else { return nil }
            let event = try? JSON.parse(request.body, limits: .request)
            let isRefused = event?["operation"]?.stringValue == String(answer.dropFirst(7))
            return hook(isRefused ? "refuse" : "allow", request)
        }
    }

    private static let down = json(["error": "down"], status: 503)

    private static func respond(_ response: ServerResponse, _ slot: ResponseSlot) {
        slot.respond(response)
    }

    private static func json(_ body: JSON, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/json")],
            body: body.serialized)
    }
}
