import AuthTestSupport
import TestSupport

/// A simulation: the real operations on an unreliable store, and concurrent requests to them.
/// Everything random is drawn from one seed.
final class Simulation {
    let kit: AuthKit
    /// The underlying store, without faults and without waiting.
    let history: SessionHistoryStore
    let unreliable: UnreliableStore
    var random: SplitMix64
    private let seed: UInt64

    /// The seed also chooses the form of refresh tokens.
    init(seed: UInt64, policy: Policy = .simulated) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let clock = TestClock()
        history = SessionHistoryStore(MemoryStore(clock: clock.wall))
        unreliable = UnreliableStore(history, seed: random.next())
        let forms: [RefreshTokenForm] = [
            .selfContained(prefix: "lkr_"), .opaque(prefix: "lkr_"), .uuid, .jwt(type: "refresh"),
        ]
        let form = forms[Int(random.next(below: UInt64(forms.count)))]
        kit = try AuthKit(
            policy: policy.with { $0.sessions.refreshTokens = form }, clock: clock,
            store: unreliable, seed: random.next())
    }

    /// The result of one request. `nothing`: the process died, or its response was lost.
    enum Outcome: Sendable, Equatable {
        case token(String)
        case done
        case refused(AuthError)
        case nothing
    }

    enum Action: Sendable {
        case refresh(String)
        /// A fast client, which refreshes and then at once again with the new token.
        case refreshTwice(String)
        case signOut(access: String?, refresh: String?, SignOut.Scope)
        case authenticate(String)
    }

    /// Performs all actions as concurrent requests; some responses are lost.
    func race(_ actions: [Action], lostPercent: UInt64 = 0) -> [Outcome] {
        let outcomes = Mutex([Outcome](repeating: .nothing, count: actions.count))
        let kit = kit
        let bodies = actions.enumerated().map { index, action in
            { @Sendable in
                let outcome = Self.perform(action, kit)
                outcomes.withLock { $0[index] = outcome }
            }
        }
        perform(bodies)
        return outcomes.withLock { $0 }.map { random.happens(lostPercent) ? .nothing : $0 }
    }

    func perform(_ bodies: [@Sendable () -> Void]) {
        Interleaving.perform(bodies, &random)
        if let fault = history.faults.first { Issue.record("\(fault), seed \(seed)") }
    }

    private static func perform(_ action: Action, _ kit: AuthKit) -> Outcome {
        let caller = Caller(address: "192.0.2.1")
        do {
            switch action {
            case .refresh(let token):
                return .token(try kit.refresh(token, caller).refresh.reveal())
            case .refreshTwice(let token):
                let next = try kit.refresh(token, caller).refresh.reveal()
                return .token(try kit.refresh(next, caller).refresh.reveal())
            case .signOut(let access, let refresh, let scope):
                try kit.signOut(
                    refreshToken: refresh, scope: scope,
                    Caller(address: "192.0.2.1", bearerText: access))
                return .done
            case .authenticate(let access):
                _ = try kit.authenticate(access)
                return .done
            }
        } catch {
            switch error {
            case .unavailable, .fault: return .nothing
            default: return .refused(error)
            }
        }
    }

    /// A self-contained token names its session's row; a token found by its hash has its own row.
    func sessionsAreSound(of user: UserID) throws -> Bool {
        let tokens = try kit.auth.refreshTokens
        for item in try history.query(
            PartitionQuery(
                StoreLayout.profile(user).partition, prefix: StoreLayout.sessionPrefix, limit: 100)
        ).items {
            let id = try #require(SessionRecord.id(of: item))
            let session = try SessionRecord.session(item, id: id, user: user)
            let place = RefreshTokenPlace(user: user, session: id, generation: session.generation)
            switch tokens.read(try tokens.token(of: session).reveal()) {
            case .placed(let named, let proof, _):
                guard named == place, tokens.isProven(proof, place, by: session) else {
                    return false
                }
            case .stored(let hash):
                let row = try history.get(StoreLayout.refreshToken(hash: hash))
                guard try row.map(RefreshTokenRecord.place) == place else { return false }
            case nil: return false
            }
        }
        return true
    }
}

extension Policy {
    /// With limits that are counted but never reached, so that the counting can fail.
    static let simulated = testing.with {
        $0.limits = [
            RateLimit(.refresh, per: .address, 1_000_000, in: .minutes(1)),
            RateLimit(.refresh, per: .session, 1_000_000, in: .minutes(1)),
            RateLimit(.signOut, per: .address, 1_000_000, in: .minutes(1)),
            RateLimit(.me, per: .account, 1_000_000, in: .minutes(1)),
        ]
    }
}

/// A client with a refresh token that believes it is signed in.
struct Holder {
    var token: String
    var isSignedOut = false
    /// Whether there was a response in this round.
    var wasAnswered = false

    mutating func receive(_ outcome: Simulation.Outcome) {
        switch outcome {
        case .token(let next):
            token = next
            wasAnswered = true
        case .refused(.refreshToken):
            isSignedOut = true
            wasAnswered = true
        case .refused, .done, .nothing: break
        }
    }
}
