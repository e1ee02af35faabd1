import AuthTestSupport

/// The functions with their settings. While a deployment is under way, some of them still have the
/// former settings.
final class Fleet {
    /// The order of docs/operating.md: all functions accept a new master key before any function
    /// uses it.
    enum Rollout: Sendable {
        case careful
        /// The new key is used at once, with the old one as `MASTER_KEY_PREVIOUS`.
        case inOneStep
        /// The old key is removed at once.
        case withoutPrevious

        /// The current master key in each step, and the other accepted keys.
        fileprivate var settings: [(current: UInt8, accepted: [UInt8])] {
            switch self {
            case .careful: [(7, []), (7, [8]), (8, [7]), (8, [7, 9]), (9, [8, 7])]
            case .inOneStep: [(7, []), (8, [7]), (9, [8, 7])]
            case .withoutPrevious: [(7, []), (8, []), (9, [])]
            }
        }
    }

    /// The services that all functions share.
    struct SharedServices {
        let policy: Policy
        let clock: TestClock
        let store: FunctionStore
        let storage: FakeStorageBroker
        let mail = FakeMailSystem()
        let erasure = FakeErasure()
        let hooks: AppHooks?
        let receiver: EventReceiver?
        /// The provider, in runs with `Feature.provider`.
        let oauth: ((SigningKeys) throws -> OAuthServices)?
        /// Whether the functions create and replace signing keys, instead of using a configured
        /// one.
        let storesKeys: Bool
        let seed: UInt64
    }

    private let shared: SharedServices
    private let rollout: Rollout
    private let context: SimulationContext
    private var kits: [AuthKit] = []
    /// Functions that run nested in one another are different processes.
    private var instances: [[AuthServices]] = []
    /// Functions of the former release, by the index of their settings.
    private var formers: [Int: [AuthServices]] = [:]
    /// Whether functions with the previous settings still run.
    private var isMixed = false

    init(_ shared: SharedServices, _ rollout: Rollout, _ context: SimulationContext) throws {
        self.shared = shared
        self.rollout = rollout
        self.context = context
        try add()
    }

    var erasure: FakeErasure { shared.erasure }

    /// The services with the newest settings.
    var newest: AuthKit { kits[kits.count - 1] }

    /// Begins the next deployment, or finishes the current one.
    func deploy() throws {
        if isMixed {
            isMixed = false
        } else if kits.count < rollout.settings.count {
            try add()
            isMixed = true
        }
    }

    func finishDeployment() { isMixed = false }

    /// Picks a function to serve a request.
    ///
    /// - Parameter depth: the number of functions that wait for this one.
    func pick(depth: Int) -> Instance {
        let kit = chooseKit()
        while instances[kit].count <= depth {
            instances[kit].append(kits[kit].auth.forAnotherThread())
        }
        return Instance(kit: kit, depth: depth, isFormer: false)
    }

    /// Picks a function of the former release.
    func pickFormer(depth: Int) throws -> Instance {
        let kit = chooseKit()
        var running = formers[kit] ?? []
        if running.isEmpty {
            running.append(try self.kit(kit, isFormer: true).auth)
        }
        while running.count <= depth { running.append(running[0].forAnotherThread()) }
        formers[kit] = running
        return Instance(kit: kit, depth: depth, isFormer: true)
    }

    private func chooseKit() -> Int {
        isMixed && context.happens(percent: 50) ? kits.count - 2 : kits.count - 1
    }

    /// A running function.
    struct Instance {
        fileprivate let kit: Int
        fileprivate let depth: Int
        fileprivate let isFormer: Bool
    }

    subscript(instance: Instance) -> AuthServices {
        let former = instance.isFormer ? formers[instance.kit]?[instance.depth] : nil
        return former ?? instances[instance.kit][instance.depth]
    }

    /// Ends the process. The next request starts a new one.
    func restart(_ instance: Instance) {
        if instance.isFormer {
            let next = self[instance].forAnotherThread()
            formers[instance.kit]?[instance.depth] = next
        } else {
            instances[instance.kit][instance.depth] = kits[instance.kit].auth.forAnotherThread()
        }
    }

    private func add() throws {
        kits.append(try kit(kits.count))
        instances.append([])
    }

    private func kit(_ number: Int, isFormer: Bool = false) throws -> AuthKit {
        let (current, accepted) = rollout.settings[number]
        var master = try AuthKit.masterKey(current)
        master.previous = try accepted.map(AuthKit.masterKey)
        let start = isFormer ? ~shared.seed : shared.seed
        let seed = start &+ UInt64(number) &* 0x9E37_79B9
        let keys =
            shared.storesKeys
            ? SigningKeys(
                stored: StoredSigningKeys(
                    store: shared.store, random: .seeded(seed ^ 0x51), algorithm: .edDSA,
                    sealing: try master.sealing { $0.signingKeys }))
            : nil
        return try AuthKit(
            policy: isFormer ? FormerRelease.policy(shared.policy) : shared.policy,
            clock: shared.clock, store: shared.store, signingKeys: keys,
            storage: try shared.storage.services(prefix: "users/{userId}/"), master: master,
            seed: seed, mail: shared.mail,
            erasure: shared.erasure, webhooks: shared.receiver?.services,
            hooks: shared.hooks?.services, oauth: isFormer ? nil : shared.oauth)
    }
}
