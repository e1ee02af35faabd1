import Testing

/// A client with everything around it.
struct Fixture: Sendable {
    let clock: ManualClock
    let server: FakeServer
    let store: any SessionStore
    let client: LatchkeyClient

    static let content = FakeServer.url.appending(path: "content")

    init(
        contract: ClientContract = .latchkey, store: any SessionStore = MemoryStore(),
        clock: ManualClock = ManualClock(), server: FakeServer? = nil,
        _ change: (inout Options) -> Void = { _ in }
    ) {
        let server = server ?? FakeServer(clock)
        var options = Options()
        options.lockWait = .seconds(5)
        change(&options)
        self.clock = clock
        self.server = server
        self.store = store
        client = LatchkeyClient(
            contract: contract, baseURL: FakeServer.url, store: store, transport: server,
            clock: clock, options: options)
    }

    /// A user has signed in.
    static func signedIn(
        contract: ClientContract = .latchkey, store: any SessionStore = MemoryStore(),
        clock: ManualClock = ManualClock(), _ change: (inout Options) -> Void = { _ in }
    ) async throws -> Fixture {
        let fixture = Fixture(contract: contract, store: store, clock: clock, change)
        try await fixture.logIn()
        return fixture
    }

    /// A user has signed in, and the access token has expired.
    static func expired(
        contract: ClientContract = .latchkey, store: any SessionStore = MemoryStore(),
        clock: ManualClock = ManualClock(), _ change: (inout Options) -> Void = { _ in }
    ) async throws -> Fixture {
        let fixture = try await signedIn(contract: contract, store: store, clock: clock, change)
        await fixture.outliveToken()
        return fixture
    }

    /// The same device after a start of the app.
    func restarted() -> Fixture { Fixture(store: store, clock: clock, server: server) }

    @discardableResult
    func logIn(_ email: String = "ada@example.com") async throws -> Session {
        try #require(try await client.logIn(email: email, password: "secret").session)
    }

    /// The time after which the access token must be replaced.
    func outliveToken() async { clock.advance(by: .seconds(await server.lifetime)) }

    func get() async throws(AuthError) -> HTTPResponse {
        try await client.send(HTTPRequest("GET", Self.content))
    }

    /// The events so far.
    func collector() async -> EventCollector { await EventCollector(client) }
}

/// Collects the events of a client.
actor EventCollector {
    private var events: [SessionEvent] = []
    private var task: Task<Void, Never>?
    private var waiters: [(Int, CheckedContinuation<Void, Never>)] = []

    /// Returns once the present state has arrived.
    init(_ client: LatchkeyClient) async {
        let stream = client.events()
        task = Task { for await event in stream { self.add(event) } }
        _ = await all(atLeast: 1)
    }

    deinit { task?.cancel() }

    private func add(_ event: SessionEvent) {
        events.append(event)
        waiters.removeAll { count, waiter in
            if events.count < count { return false }
            waiter.resume()
            return true
        }
    }

    /// Waits until there are so many.
    func all(atLeast count: Int) async -> [SessionEvent] {
        if events.count < count { await withCheckedContinuation { waiters.append((count, $0)) } }
        return events
    }

    func names(atLeast count: Int) async -> [String] { await all(atLeast: count).map(\.name) }

    /// Waits for an event.
    func names(until name: String) async -> [String] {
        var count = 1
        while await names(atLeast: count).contains(name) == false { count += 1 }
        return events.map(\.name)
    }
}

extension SessionEvent {
    /// Without what differs from run to run.
    var name: String {
        switch self {
        case .unknown: "unknown"
        case .signedIn(let session): "signed in: \(session.user?.id ?? "?")"
        case .refreshed(let session): "refreshed: \(session.user?.id ?? "?")"
        case .signedOut(let cause): "signed out: \(cause)"
        case .storeFailed: "store failed"
        case .stored: "stored"
        }
    }
}
