import AuthTestSupport

/// The functions of a `RotationModel`: real operations on one session, from any state of its rows.
final class RotationServer {
    enum Request: Hashable {
        case refresh(generation: Int)
        case signOut
    }

    enum Outcome {
        /// The client got the token of the next generation.
        case renewed
        /// The session has ended, or the token does not belong to it.
        case refused
        case signedOut
        case failed
    }

    struct Result {
        let state: Int
        /// The outcomes, in the order of the requests.
        let outcomes: [Outcome]
    }

    private struct State {
        let items: [ItemKey: Item]
        let pauses: Int
        /// Whether a sign-out was acknowledged.
        let isOver: Bool
    }

    private struct Fingerprint: Hashable {
        let session: Attributes?
        let epoch: Attribute?
        let pauses: Int
        let isOver: Bool
    }

    private struct Call: Hashable {
        let state: Int
        let requests: [Request]
    }

    private let kit: AuthKit
    private let store: SnapshotStore
    private let clock: TestClock
    private let start: Instant
    private let session: SessionID
    private let user: UserID
    private let access: String
    /// The token of each generation. A generation with two different tokens breaks the rule of one
    /// successor.
    private var tokens: [String]
    private var states: [State] = []
    private var numbers: [Fingerprint: Int] = [:]
    private var results: [Call: Result] = [:]
    /// Whether a sign-out was acknowledged, before these requests or by one of them.
    private var isOver = false
    private var outcomes: [Outcome] = []
    /// The first broken rule.
    private(set) var finding: String?

    private static let grace = Span.seconds(60)

    init(_ flaw: RotationModel.Flaw?) throws {
        clock = TestClock()
        start = clock.now
        store = SnapshotStore(ignoresConditions: flaw == .unconditional)
        let grace = flaw == .endlessGrace ? Span.days(1) : Self.grace
        kit = try AuthKit(
            policy: .testing.with { $0.sessions.rotation = .everyUse(grace: grace) },
            clock: clock, store: store)
        let tokens = try kit.session()
        (user, session) = (tokens.user.id, tokens.session)
        self.tokens = [tokens.refresh.reveal()]
        access = tokens.access.reveal()
        _ = number(State(items: store.items, pauses: 0, isOver: false))
    }

    var stateCount: Int { states.count }
    func pauses(_ state: Int) -> Int { states[state].pauses }
    func isOver(_ state: Int) -> Bool { states[state].isOver }

    /// The state after the grace period.
    func paused(_ state: Int) -> Int {
        let old = states[state]
        return number(State(items: old.items, pauses: old.pauses + 1, isOver: old.isOver))
    }

    /// Serves the first request. Each other request runs nested in the previous one, just before
    /// the previous one's write.
    func serve(_ requests: [Request], in state: Int) -> Result {
        let call = Call(state: state, requests: requests)
        if let known = results[call] { return known }
        let old = states[state]
        clock.set(start + .seconds(Int64(old.pauses) * (Self.grace.seconds + 1)))
        store.items = old.items
        (isOver, outcomes) = (old.isOver, Array(repeating: .failed, count: requests.count))
        serve(requests, from: 0)
        let result = Result(
            state: number(State(items: store.items, pauses: old.pauses, isOver: isOver)),
            outcomes: outcomes)
        check(requests, after: old)
        results[call] = result
        return result
    }

    private func serve(_ requests: [Request], from index: Int) {
        guard index < requests.count else { return }
        let wasOver = isOver
        store.beforeWrite = { [unowned self] in serve(requests, from: index + 1) }
        let outcome = outcome(of: requests[index], wasOver: wasOver)
        if let others = store.beforeWrite {
            // The request made no write, so the nested requests run after it.
            store.beforeWrite = nil
            others()
        }
        outcomes[index] = outcome
    }

    private func outcome(of request: Request, wasOver: Bool) -> Outcome {
        do throws(AuthError) {
            switch request {
            case .signOut:
                try kit.signOut(
                    refreshToken: nil, scope: .session, Caller(bearerText: access))
                isOver = true
                return .signedOut
            case .refresh(let generation):
                let next = try kit.refresh(tokens[generation], Caller()).refresh.reveal()
                if wasOver { find("a refresh after the acknowledged end") }
                note(next, generation + 1)
                return .renewed
            }
        } catch {
            if case .refreshToken = error { return .refused }
            return .failed
        }
    }

    private func note(_ token: String, _ generation: Int) {
        if tokens.count == generation {
            tokens.append(token)
        } else if tokens[generation] != token {
            find("generation \(generation - 1) has two successors")
        }
    }

    // MARK: Rules

    private func generation(_ items: [ItemKey: Item]) -> Int? {
        guard
            case .integer(let number)? =
                items[StoreLayout.session(session, of: user)]?.attributes["generation"]
        else { return nil }
        return Int(number)
    }

    private func check(_ requests: [Request], after old: State) {
        let (before, after) = (generation(old.items), generation(store.items))
        if before == nil, after != nil { find("the session has come back") }
        if let before, let after, after < before { find("the session went back") }
        // A token two generations old ends the session. After the grace period, the previous token
        // does so too.
        guard requests.count == 1, case .refresh(let presented) = requests[0], let before,
            after != nil
        else { return }
        if presented + 1 < before {
            find("a token of generation \(presented) has not ended a session of \(before)")
        }
        if presented + 1 == before, old.pauses > lastPause(of: old) {
            find("a token of generation \(presented) was accepted after the grace period")
        }
    }

    /// The number of grace periods that had passed before the latest rotation.
    private func lastPause(of state: State) -> Int {
        guard
            case .integer(let milliseconds)? =
                state.items[StoreLayout.session(session, of: user)]?.attributes["lastUsedAt"]
        else { return state.pauses }
        let span = (milliseconds - start.milliseconds) / 1000
        return Int(span / (Self.grace.seconds + 1))
    }

    private func find(_ what: String) { finding = finding ?? what }

    /// States with equal rows are the same state, whatever their history.
    private func number(_ state: State) -> Int {
        var row = state.items[StoreLayout.session(session, of: user)]?.attributes
        // `writer` is random, and is compared only within one operation.
        row?["writer"] = nil
        let fingerprint = Fingerprint(
            session: row, epoch: state.items[StoreLayout.profile(user)]?.attributes["epoch"],
            pauses: state.pauses, isOver: state.isOver)
        if let known = numbers[fingerprint] { return known }
        states.append(state)
        numbers[fingerprint] = states.count - 1
        return states.count - 1
    }
}
