public import Foundation

/// The session of one user at one server: signs in and out, refreshes the tokens and stores them.
///
/// Any number of tasks, and several processes with the same store, may use a session at once.
///
/// ```swift
/// let client = LatchkeyClient(baseURL: url, store: MemoryStore())
/// if try await client.restore() == nil {
///     _ = try await client.logIn(email: "ada@example.com", password: password)
/// }
/// let answer = try await client.send(HTTPRequest("GET", url.appending(path: "recipes")))
/// ```
public actor LatchkeyClient {
    public nonisolated let contract: ClientContract
    public nonisolated let baseURL: URL
    nonisolated let store: any SessionStore
    nonisolated let transport: any Transport
    nonisolated let clock: any SessionClock
    nonisolated let options: Options

    /// Contains every rule about the session. Only `apply` changes it.
    private(set) var machine: SessionMachine

    // The tasks that carry out the machine's refreshes.
    var refreshes: [Revision: Task<Void, Never>] = [:]
    var waiters: [Int: CheckedContinuation<SessionMachine.Outcome, Never>] = [:]
    var waiterCount = 0
    /// Repeats the refresh whose response was lost.
    var settling: Task<Void, any Error>?
    var isStoringAgain = false

    // The gate to the store: see LatchkeyClient+Store.swift.
    var isGateTaken = false
    var gateQueue: [CheckedContinuation<Void, Never>] = []
    /// The result of the last read, because most reads find the same bytes.
    var decoded: (bytes: Data, record: StoredRecord)?

    /// Names that no server has received yet, by Apple's user IDs.
    var unsentNames: [String: [String?]] = [:]

    private var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    private var listenerCount = 0

    public init(
        contract: ClientContract = .latchkey, baseURL: URL, store: any SessionStore,
        transport: any Transport = URLSessionTransport(), clock: any SessionClock = SystemClock(),
        options: Options = Options()
    ) {
        self.contract = contract
        machine = SessionMachine(contract)
        self.baseURL = baseURL
        self.store = store
        self.transport = transport
        self.clock = clock
        self.options = options
    }

    /// The stored session; nil if there is none. Later calls read the changes that other processes
    /// with the same store have made. A refresh whose answer was lost is repeated.
    ///
    /// Throws `storeLocked` while the device does not permit reading. The user is still signed in
    /// then.
    public func restore() async throws(AuthError) -> Session? {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) { try await readStore() } catch { throw AuthError(error) }
        return machine.live?.record.session
    }

    /// An access token that is valid for at least the given time, if the server issues such tokens.
    ///
    /// Without a connection, a token that is valid for long enough is returned even if it should
    /// have been refreshed.
    public func validToken(
        minimumLife: Duration = .zero
    ) async throws(AuthError) -> AccessToken {
        token(of: try await freshSession(minimumLife: minimumLife))
    }

    /// Events in order, beginning with the current state. A reader that is more than a hundred
    /// events behind misses the oldest.
    public nonisolated func events() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream<SessionEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(100))
        // This task is unstructured, because it only adds the listener.
        Task { await add(continuation) }
        return stream
    }

    func freshSession(minimumLife: Duration) async throws(AuthError) -> LiveSession {
        guard contract.supports(.refresh) else { throw .unsupported("sessions") }
        // The first call reads the store.
        if machine.state.isUnknown { _ = try await restore() }
        let live = try machine.state.session()
        guard machine.needsRefresh(live, for: minimumLife, at: clock.moment) else { return live }
        do throws(AuthError) {
            return try await refreshed(live.record.revision).get()
        } catch {
            let id = live.record.id
            return try apply {
                $0.tokens(despite: error, in: id, for: minimumLife, at: clock.moment)
            }.get()
        }
    }

    func token(of live: LiveSession) -> AccessToken {
        AccessToken(
            value: live.record.accessToken, type: live.record.tokenType,
            life: live.life(at: clock.moment))
    }

    /// The number of sign-ins and sign-outs so far. A sign-in remembers the number from its
    /// beginning, and so notices a later sign-in or sign-out.
    var intent: Int { machine.intent }

    /// Tells the machine what has happened, and carries out its actions before anything else
    /// happens.
    @discardableResult
    func apply<Value>(_ event: (inout SessionMachine) -> Value) -> Value {
        let value = event(&machine)
        for action in machine.takeActions() { perform(action) }
        return value
    }

    private func perform(_ action: SessionMachine.Action) {
        switch action {
        case .emit(let event):
            // Listeners run later, in their own tasks, so they cannot hold up the client.
            for listener in listeners.values { listener.yield(event) }
        case .refresh(let spent): beginRefresh(spent)
        case .cancel(let spent): refreshes.removeValue(forKey: spent)?.cancel()
        case .resume(let waiter, let outcome):
            waiters.removeValue(forKey: waiter)?.resume(returning: outcome)
        case .settle(let revision): settle(revision)
        case .stopSettling: settling?.cancel()
        case .storeAgain: storeAgain()
        }
    }

    private func add(_ continuation: AsyncStream<SessionEvent>.Continuation) {
        listenerCount += 1
        let number = listenerCount
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            // This task is unstructured, because it only removes the listener.
            Task { await self?.removeListener(number) }
        }
        continuation.yield(machine.state.event)
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    deinit {
        settling?.cancel()
        for listener in listeners.values { listener.finish() }
    }
}
