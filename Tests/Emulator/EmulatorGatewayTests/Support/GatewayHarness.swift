import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// A gateway with functions, clock, timers and issuers controlled by the test.
final class GatewayHarness: Sendable {
    struct Call: Sendable {
        let function: String
        let event: JSON
    }

    private struct State {
        var calls: [Call] = []
        var outcomes: [String: InvocationOutcome] = [:]
        /// Functions that never respond.
        var silent: Set<String> = []
        var documents: [String: [UInt8]] = [:]
        var fetched: [String] = []
        var timers: [@Sendable () -> Void] = []
        var now = Instant(milliseconds: 1_584_039_838_390)
        var caller: IAMCaller?
    }

    private let state: Mutex<State>
    /// False for tests with many requests whose events are not examined.
    private let keepsEvents: Bool
    let template: Template
    let gateway: Gateway

    init(
        _ template: JSON, settings: TemplateSettings = TemplateSettings(),
        options: GatewayOptions = .standard, keepsEvents: Bool = true
    ) throws {
        self.keepsEvents = keepsEvents
        let parsed = try Template(parsing: template.serialized, settings: settings)
        let shared = Shared()
        self.template = parsed
        state = Mutex(State())
        gateway = Gateway(
            parsed, settings: settings, options: options,
            ports: GatewayPorts(
                invoke: { shared.harness?.invoke($0, $1, $3) },
                clock: WallClock { shared.harness?.now ?? Instant(milliseconds: 0) },
                random: .seeded(7),
                after: { _, action in shared.harness?.add(timer: action) },
                fetch: { shared.harness?.fetch($0, $1) },
                identify: { _, _, _ in shared.harness?.caller }))
        shared.set(self)
    }

    /// Breaks the cycle: the ports are created before the harness is.
    private final class Shared: Sendable {
        private struct Weak { weak var harness: GatewayHarness? }
        private let stored = Mutex(Weak())
        var harness: GatewayHarness? { stored.withLock { $0.harness } }
        func set(_ harness: GatewayHarness) { stored.withLock { $0.harness = harness } }
    }

    private func invoke(
        _ function: FunctionName, _ payload: [UInt8],
        _ completion: @Sendable (InvocationOutcome) -> Void
    ) {
        let outcome: InvocationOutcome? = state.withLock { state in
            if keepsEvents {
                let event = try? JSON.parse(payload, limits: .event)
                state.calls.append(Call(function: function.text, event: event ?? .null))
            }
            guard !state.silent.contains(function.text) else { return nil }
            return state.outcomes[function.text] ?? .returned(Array(#"{"statusCode":200}"#.utf8))
        }
        if let outcome { completion(outcome) }
    }

    private func fetch(_ url: String, _ completion: @Sendable ([UInt8]?) -> Void) {
        let document = state.withLock { state in
            state.fetched.append(url)
            return state.documents[url]
        }
        completion(document)
    }

    private func add(timer: @escaping @Sendable () -> Void) {
        state.withLock { $0.timers.append(timer) }
    }

    private var caller: IAMCaller? { state.withLock { $0.caller } }
    var now: Instant { state.withLock { $0.now } }
    var calls: [Call] { state.withLock { $0.calls } }
    var fetched: [String] { state.withLock { $0.fetched } }

    func advance(by span: Span) { state.withLock { $0.now = $0.now + span } }
    func silence(_ function: String) { state.withLock { _ = $0.silent.insert(function) } }
    func sign(as caller: IAMCaller?) { state.withLock { $0.caller = caller } }
    func serve(_ document: JSON?, at url: String) {
        state.withLock { $0.documents[url] = document?.serialized }
    }
    func serve(bytes: [UInt8], at url: String) { state.withLock { $0.documents[url] = bytes } }
    func reply(_ function: String, _ outcome: InvocationOutcome) {
        state.withLock { $0.outcomes[function] = outcome }
    }
    func reply(_ function: String, _ text: String) {
        reply(function, .returned(Array(text.utf8)))
    }

    func fireTimers() {
        let timers = state.withLock { state in
            defer { state.timers = [] }
            return state.timers
        }
        for timer in timers { timer() }
    }

    var timerCount: Int { state.withLock { $0.timers.count } }

    /// nil until there is a response.
    func start(_ request: ServerRequest) -> ResponseBox {
        let answer = ResponseBox()
        gateway.handle(request) { answer.set($0) }
        return answer
    }

    @discardableResult
    func send(_ request: ServerRequest) throws -> ServerResponse {
        try #require(start(request).response)
    }

    @discardableResult
    func send(
        _ method: String, _ target: String, _ headers: [(String, String)] = [],
        body: [UInt8] = []
    ) throws -> ServerResponse {
        try send(request(method, target, headers, body: body))
    }

    /// The event of the last invocation.
    func event() throws -> JSON { try #require(calls.last?.event) }
}

/// Holds the response of a request; a second one is a test failure.
final class ResponseBox: Sendable {
    private let stored = Mutex<[ServerResponse]>([])
    func set(_ response: ServerResponse) { stored.withLock { $0.append(response) } }
    var response: ServerResponse? { stored.withLock { $0.first } }
    var count: Int { stored.withLock { $0.count } }
}

func request(
    _ method: String, _ target: String, _ headers: [(String, String)] = [], body: [UInt8] = []
) -> ServerRequest {
    ServerRequest(
        method: method, target: target,
        headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body,
        peer: ServerAddress(host: 0xCB00_7109, port: 0),
        local: ServerAddress(host: 0, port: 443), isSecure: true)
}

extension ServerResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
