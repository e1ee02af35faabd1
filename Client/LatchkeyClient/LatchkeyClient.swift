public import Foundation

/// The session of one user at one server: signs in and out, keeps the tokens fresh and stored.
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
    enum State {
        /// The store has not been read.
        case unknown
        case signedOut(SignOutCause)
        case signedIn(LiveSession)
    }

    public nonisolated let contract: ClientContract
    public nonisolated let baseURL: URL
    nonisolated let store: any SessionStore
    nonisolated let transport: any Transport
    nonisolated let clock: any SessionClock
    nonisolated let options: Options

    var state = State.unknown
    /// Incremented when another session begins or the session ends. Work that began earlier is
    /// superseded.
    var epoch = 0
    /// Incremented at each sign-in and sign-out of the user. A sign-in that began earlier is
    /// superseded.
    var intent = 0
    var flights: [Revision: Flight] = [:]
    var waiterCount = 0
    /// The server has asked for no further refresh before `until`.
    var refreshPause: (until: Duration, error: AuthError)?
    /// The revision whose refresh was sent without an answer: see LatchkeyClient+Doubt.swift.
    var doubted: Revision?
    /// Repeats the refresh whose answer was lost.
    var settling: Task<Void, any Error>?
    /// Before this time a token that is still valid is not refreshed ahead of its expiry, because
    /// such a refresh has just failed.
    private var precautionPause = Duration.zero

    // The members from here to `decoded` belong to LatchkeyClient+Store.swift.
    var isGateTaken = false
    var gateQueue: [CheckedContinuation<Void, Never>] = []
    /// An ended session that may still be stored.
    var clearing: Clearing?
    var isStoringAgain = false
    /// The result of the last read, because most reads find the same bytes.
    var decoded: (bytes: Data, record: StoredRecord)?

    private var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
    private var listenerCount = 0

    public init(
        contract: ClientContract = .latchkey, baseURL: URL, store: any SessionStore,
        transport: any Transport = URLSessionTransport(), clock: any SessionClock = SystemClock(),
        options: Options = Options()
    ) {
        self.contract = contract
        self.baseURL = baseURL
        self.store = store
        self.transport = transport
        self.clock = clock
        self.options = options
    }

    /// The session that is stored, nil if there is none. Later calls find out what other processes
    /// with the same store have done. A refresh whose answer was lost is repeated.
    ///
    /// Throws `storeLocked` while the device does not permit reading: that is not "signed out".
    public func restore() async throws(AuthError) -> Session? {
        await enterGate()
        defer { leaveGate() }
        do throws(StoreError) { try await readStore() } catch { throw AuthError(error) }
        guard case .signedIn(let live) = state else { return nil }
        return live.record.session
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
        // An unstructured task: it only adds the listener.
        Task { await add(continuation) }
        return stream
    }

    /// The session in memory, which the first call reads from the store.
    func presentSession() async throws(AuthError) -> LiveSession {
        if case .unknown = state { _ = try await restore() }
        switch state {
        case .signedIn(let live): return live
        case .signedOut(.server(let code)): throw .signInAgain(code: code)
        case .signedOut, .unknown: throw .signedOut
        }
    }

    func freshSession(minimumLife: Duration) async throws(AuthError) -> LiveSession {
        guard contract.supports(.refresh) else { throw .unsupported("sessions") }
        let live = try await presentSession()
        let margin = min(contract.margin, .seconds(live.record.lifetime / 5))
        let wanted = max(minimumLife, margin)
        let life = live.life(clock)
        if life > wanted, doubted != live.record.revision { return live }
        let isUsable = life > max(minimumLife, .seconds(1))
        if isUsable, clock.uptime() < precautionPause { return live }
        do throws(AuthError) {
            return try await refreshed(live.record.revision).get()
        } catch {
            // Refreshing early is only a precaution: the token is still valid for this call.
            guard error.isTransient, error != .cancelled, isUsable,
                case .signedIn(let now) = state, now.record.id == live.record.id, !now.isRejected
            else { throw error }
            precautionPause = clock.uptime() + .seconds(10)
            return now
        }
    }

    func token(of live: LiveSession) -> AccessToken {
        AccessToken(
            value: live.record.accessToken, type: live.record.tokenType, life: live.life(clock))
    }

    private func add(_ continuation: AsyncStream<SessionEvent>.Continuation) {
        listenerCount += 1
        let number = listenerCount
        listeners[number] = continuation
        continuation.onTermination = { [weak self] _ in
            // An unstructured task: it only removes the listener.
            Task { await self?.removeListener(number) }
        }
        switch state {
        case .unknown: continuation.yield(.unknown)
        case .signedOut(let cause): continuation.yield(.signedOut(cause))
        case .signedIn(let live): continuation.yield(.signedIn(live.record.session))
        }
    }

    private func removeListener(_ number: Int) { listeners[number] = nil }

    /// Listeners run later, in their own tasks, so they cannot hold up the client.
    func emit(_ event: SessionEvent) {
        for listener in listeners.values { listener.yield(event) }
    }

    deinit {
        settling?.cancel()
        for listener in listeners.values { listener.finish() }
    }
}

extension AuthError {
    init(_ error: StoreError) {
        switch error {
        case .locked: self = .storeLocked
        case .busy: self = .storeFailed("busy")
        case .failed(let reason): self = .storeFailed(reason)
        }
    }
}
