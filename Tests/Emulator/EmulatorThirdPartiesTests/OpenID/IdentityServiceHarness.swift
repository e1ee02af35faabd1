import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

/// 2026-01-06T12:00:00Z
let noon = Instant(seconds: 1_767_700_800)

/// The providers with a manual clock and a simulated app.
final class IdentityServiceHarness: Sendable {
    static let base = "http://127.0.0.1:8000"
    static let appleClient = "com.example.app"
    static let googleClient = "client.apps.googleusercontent.com"
    static let acme = IssuerDefinition(
        name: "acme", kind: .oidc, algorithm: .es256,
        clients: [ClientDefinition(id: "acme-client", secret: "s3cret/+ ?")])
    static let usual = IdentityConfiguration(issuers: [.apple, .google, acme])

    /// For tests that change nothing.
    static let shared = Result { try IdentityServiceHarness() }

    struct Delivery: Sendable {
        let url: String
        let body: [UInt8]
    }

    private struct State {
        var now = noon
        var waiting: [(due: Instant, action: @Sendable () -> Void)] = []
        var deliveries: [Delivery] = []
        var statuses: [Int?] = []
        var log: [String] = []
    }

    /// The clock, timers, deliveries and log of a harness.
    final class HarnessEnvironment: Sendable {
        private let state = Mutex(State())
        private let random: RandomSource
        private let keys: IssuerKeyFolder?

        static let sharedKeys = try? IssuerKeyFolder(path: RepositoryRoot.issuerKeys)

        /// - Parameter seed: two environments with one seed would make the same keys.
        init(seed: UInt64? = nil, keys: IssuerKeyFolder? = sharedKeys) {
            random = seed.map { .seeded($0) } ?? .system
            self.keys = keys
        }

        var now: Instant { state.withLock { $0.now } }
        var log: [String] { state.withLock { $0.log } }
        var deliveries: [Delivery] { state.withLock { $0.deliveries } }
        var waiting: Int { state.withLock { $0.waiting.count } }

        /// Sets the statuses with which the app answers the next notifications; 200 after them.
        func answers(_ statuses: Int?...) { state.withLock { $0.statuses = statuses } }

        /// Advances the clock and runs due timers in order.
        func advance(_ span: Span) {
            let end = now + span
            while true {
                let due = state.withLock { state -> (@Sendable () -> Void)? in
                    state.waiting.sort { $0.due < $1.due }
                    guard let first = state.waiting.first, first.due <= end else { return nil }
                    state.now = max(state.now, first.due)
                    state.waiting.removeFirst()
                    return first.action
                }
                guard let due else { break }
                due()
            }
            state.withLock { $0.now = end }
        }

        var ports: IdentityPorts {
            IdentityPorts(
                clock: WallClock { self.now }, random: random, keys: keys,
                after: { delay, action in
                    self.state.withLock { $0.waiting.append((due: $0.now + delay, action: action)) }
                },
                deliver: { url, body, done in
                    let status = self.state.withLock { state -> Int? in
                        state.deliveries.append(Delivery(url: url, body: body))
                        return state.statuses.isEmpty ? 200 : state.statuses.removeFirst()
                    }
                    done(status)
                },
                log: { line in self.state.withLock { $0.log.append(line) } })
        }
    }

    let environment: HarnessEnvironment
    let service: IdentityService

    /// Without a directory it uses shared keys, and stores everything in a temporary directory.
    init(
        _ configuration: IdentityConfiguration = IdentityServiceHarness.usual,
        directory: String? = nil,
        environment: HarnessEnvironment = HarnessEnvironment()
    ) throws {
        self.environment = environment
        let scratch = directory == nil ? try TemporaryDatabase(database: Self.keys.get()) : nil
        service = try IdentityService(
            configuration, baseURL: IdentityServiceHarness.base,
            directory: directory ?? scratch?.path,
            ports: environment.ports)
    }

    /// Generating RSA keys is slow, so it is done once.
    private static let keys = Result {
        let scratch = try TemporaryDatabase()
        let service = try IdentityService(
            usual, baseURL: base, directory: scratch.path,
            ports: HarnessEnvironment().ports)
        for issuer in service.issuers { _ = service.keySet(issuer: issuer.issuer) }
        return try scratch.database
    }

    /// The response; nil if it is delayed.
    func send(_ request: ServerRequest) -> ServerResponse? {
        let box = ResponseBox()
        service.handle(request) { box.set($0) }
        return box.value
    }

    final class ResponseBox: Sendable {
        private let answers = Mutex<[ServerResponse]>([])

        var value: ServerResponse? { answers.withLock { $0.first } }
        var count: Int { answers.withLock { $0.count } }
        func set(_ response: ServerResponse) { answers.withLock { $0.append(response) } }
    }

    func call(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) throws -> ServerResponse {
        try #require(
            send(
                ServerRequest(
                    method: method, target: target,
                    headers: headers.map { HTTPHeader($0.0, $0.1) }, body: Array(body.utf8))))
    }

    func get(_ target: String, headers: [(String, String)] = []) throws -> ServerResponse {
        try call("GET", target, headers: headers)
    }

    func post(_ target: String, json: JSON) throws -> ServerResponse {
        try call("POST", target, headers: [("Content-Type", "application/json")], body: json.text)
    }

    func put(_ target: String, json: JSON) throws -> ServerResponse {
        try call("PUT", target, headers: [("Content-Type", "application/json")], body: json.text)
    }

    func post(
        _ target: String, form: [(String, String)], headers: [(String, String)] = []
    ) throws -> ServerResponse {
        try call(
            "POST", target,
            headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: PercentEncoding.form(form))
    }

    func mint(_ provider: String, _ body: JSON = .object([:])) throws -> String {
        let answer = try post("/_idp/\(provider)/mint", json: body)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.json["idToken"]?.stringValue)
    }

    func keys(_ provider: String) throws -> KeySet {
        try #require(service.keySet(issuer: "\(IdentityServiceHarness.base)/_idp/\(provider)"))
    }

    /// Verifies a token as an app would.
    func verify(_ token: String, _ provider: String, _ client: String) throws -> VerifiedToken {
        try JWT.verify(
            token, keys: keys(provider),
            expecting: TokenExpectations(
                issuers: ["\(IdentityServiceHarness.base)/_idp/\(provider)"], audiences: [client],
                types: [nil, "JWT"], now: environment.now, leeway: .seconds(60)))
    }

    /// Connects an HTTP client to the providers in process.
    var transport: HTTPTransport {
        HTTPTransport { request throws(HTTPFailure) in
            guard request.url.hasPrefix(IdentityServiceHarness.base) else {
                throw .connectFailed(detail: "not here")
            }
            let answer = self.send(
                ServerRequest(
                    method: request.method.rawValue,
                    target: String(request.url.dropFirst(IdentityServiceHarness.base.count)),
                    headers: request.headers, body: request.body))
            guard let answer else { throw .timedOut }
            return HTTPResponse(
                status: answer.status,
                headers: answer.headers.map { HTTPHeader($0.name.lowercased(), $0.value) },
                body: answer.body)
        }
    }
}

extension ServerResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSON { (try? JSON.parse(body, limits: .keySet)) ?? .null }

    func header(_ name: String) -> String? { headers.first { $0.isNamed(name) }?.value }

    var error: String? { json["error"]?.stringValue }
    var errorDescription: String? { json["error_description"]?.stringValue }
}
