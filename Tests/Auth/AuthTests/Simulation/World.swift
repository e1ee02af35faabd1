import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Synchronization
import Time

/// One simulated world: the real operations on an unreliable store, and the requests that race in
/// it. Everything that happens is drawn from one seed.
final class World {
    let kit: AuthKit
    /// What is true, without faults and without waiting.
    let truth: MemoryStore
    let unreliable: UnreliableStore
    var random: SplitMix64

    init(seed: UInt64, policy: Policy = .testing) throws {
        random = SplitMix64(seed: seed)
        let clock = TestClock()
        truth = MemoryStore(clock: clock.wall)
        unreliable = UnreliableStore(truth, seed: random.next())
        kit = try AuthKit(policy: policy, clock: clock, store: unreliable, seed: random.next())
    }

    /// What one request came to. `nothing`: the process died, or its answer got lost.
    enum Outcome: Sendable, Equatable {
        case token(String)
        case done
        case refused(Problem)
        case nothing
    }

    enum Action: Sendable {
        case refresh(String)
        /// A client that is fast: it refreshes, and at once again with what it was given.
        case refreshTwice(String)
        case signOut(access: String?, refresh: String?, SignOut.Scope)
        case authenticate(String)
    }

    /// Performs all actions as concurrent requests; some answers are lost on the way back.
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

    func perform(_ bodies: [@Sendable () -> Void]) { Stage.perform(bodies, &random) }

    private static func perform(_ action: Action, _ kit: AuthKit) -> Outcome {
        do {
            switch action {
            case .refresh(let token):
                return .token(try kit.refresh(token, RequestContext()).refresh.reveal())
            case .refreshTwice(let token):
                let next = try kit.refresh(token, RequestContext()).refresh.reveal()
                return .token(try kit.refresh(next, RequestContext()).refresh.reveal())
            case .signOut(let access, let refresh, let scope):
                let context = RequestContext(bearer: access)
                try kit.signOut(refreshToken: refresh, scope: scope, context)
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

    /// One live generation per family: the row's current hash leads back to the row's generation.
    func familiesAreSound(of user: UserID) throws -> Bool {
        let page = try truth.query(
            PartitionQuery("USER#\(user.text)", prefix: "SESSION#", limit: 100))
        for family in page.items {
            guard case .bytes(let hash)? = family.attributes["currentHash"],
                let token = try truth.get(ItemKey("REFRESH#\(base64URL(hash))", "TOKEN")),
                token.attributes["generation"] == family.attributes["generation"]
            else { return false }
        }
        return true
    }
}

/// Somebody who holds a refresh token and believes to be signed in.
struct Holder {
    var token: String
    var isSignedOut = false
    /// Whether anything was answered in this round.
    var wasAnswered = false

    mutating func receive(_ outcome: World.Outcome) {
        switch outcome {
        case .token(let next):
            token = next
            wasAnswered = true
        case .refused(.refreshTokenRejected):
            isSignedOut = true
            wasAnswered = true
        case .refused, .done, .nothing: break
        }
    }
}
