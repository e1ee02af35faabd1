internal import AWSClients
internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
package import Cryptography
internal import DynamoDBStore
package import FunctionRuntime
package import HTTP
internal import IdentityProviders
internal import JOSE
internal import KeyValueStore
internal import SQLiteStore
package import Time

/// Builds the operations that one executable needs, from its environment. The only place that
/// knows what is real: the clock, the randomness, the network, the disk.
package struct Assembly {
    let environment: Environment
    let clock: WallClock
    let random: RandomSource
    let transport: HTTPTransport
    let sleep: @Sendable (Span) -> Void

    package init(
        environment: Environment, clock: WallClock, random: RandomSource,
        transport: HTTPTransport, sleep: @escaping @Sendable (Span) -> Void
    ) {
        self.environment = environment
        self.clock = clock
        self.random = random
        self.transport = transport
        self.sleep = sleep
    }

    struct Built {
        let contract: Contract
        let operations: Operations
        let address: ClientAddress
        let hasProvider: Bool
    }

    /// `problems` are those that the caller has found in settings of its own: a new deployment is
    /// told everything at once.
    func build(
        serving served: [Operation], besides problems: [String] = []
    ) throws(StartFailure) -> Built {
        let aws = AWSParts(self)
        var reader = SettingsReader(environment, secrets: aws.secretSource)
        for problem in problems { reader.refuse(problem) }

        // 1. What is asked for.
        let contract = contract(&reader)
        let storeSettings = StoreSettings.read(&reader)
        let issuer = issuer(&reader, storeSettings)
        let policy = policy(&reader, contract)
        let algorithm = Algorithm(policy.accessToken.algorithm)
        let hops = reader.integer("TRUSTED_HOPS", 0...ClientAddress.hopsMax) ?? 0
        let configuredKeys = KeySettings.read(&reader, algorithm: algorithm)
        let isSignIn = served.contains(.signIn)
        let providers =
            isSignIn
            ? ProviderSettings.read(&reader, ageMax: policy.identityTokenAgeMax)
            : ProviderSettings(providers: [])
        let needsStorage =
            served.contains(.credentials)
            || (isSignIn && !contract.endpoints.contains { $0.operation == .refresh })
        let storage = needsStorage ? StorageSettings.read(&reader) : nil
        if needsStorage, storage == nil, reader.text("STORAGE_BUCKET") == nil {
            reader.refuse("STORAGE_BUCKET is required")
        }
        if storage?.mode == .webIdentity, algorithm == .hs256 {
            reader.refuse("STORAGE_CREDENTIALS=web-identity needs a contract with public keys")
        }
        if case .dynamoDB = storeSettings {
            aws.check(&reader)
        } else if needsStorage {
            aws.check(&reader)
        }

        let keySource = MasterKeySettings.read(&reader, store: storeSettings)

        // 2. The key, last: a wrong setting must not leave files behind.
        guard reader.problems.isEmpty, let keySource else {
            throw StartFailure(problems: reader.problems)
        }
        let master = try MasterKeySettings.resolve(keySource, random: random)
        guard let sealing = try? AESGCMKey(master.signingKeys),
            let grantSealing = try? AESGCMKey(master.grants)
        else { throw StartFailure(problems: ["MASTER_KEY cannot be used"]) }

        // 3. Everything on it.
        let store = try open(storeSettings, aws)
        let ground = Ground(store: store, clock: clock, random: random, policy: policy)
        let ring =
            configuredKeys.map(KeyRing.init(configured:))
            ?? KeyRing(stored: ground, algorithm: algorithm, sealing: sealing)
        let tokens = AccessTokens(ground, ring: ring, issuer: issuer)
        let mint = RefreshTokenMint(key: master.refreshTokens, form: policy.refreshTokenForm)
        let limiter = RateLimiter(ground)
        let authenticate = Authenticate(ground, tokens: tokens)
        let cache = KeySetCache(
            store: store, transport: transport, clock: clock, sleep: sleep)
        let operations = Operations(
            challenge: IssueChallenge(ground, limiter: limiter),
            signIn: SignIn(
                ground, limiter: limiter, desk: providers.desk(cache, transport: transport),
                tokens: tokens, mint: mint,
                grants: GrantVault(sealing: grantSealing, random: random)),
            refresh: RefreshSession(ground, limiter: limiter, tokens: tokens, mint: mint),
            signOut: SignOut(ground, limiter: limiter, authenticate: authenticate),
            authenticate: authenticate,
            listSessions: ListSessions(ground, authenticate: authenticate),
            revokeSession: RevokeSession(ground, authenticate: authenticate),
            credentials: storage.flatMap { settings in
                aws.broker(settings, ring: ring, issuer: issuer).map { broker in
                    IssueCredentials(
                        ground, limiter: limiter, authenticate: authenticate,
                        place: settings.place, broker: broker)
                }
            },
            publishKeys: PublishKeys(ground, ring: ring, issuer: issuer))
        return Built(
            contract: contract, operations: operations,
            address: ClientAddress(trustedHops: Int(hops)),
            hasProvider: !providers.providers.isEmpty)
    }

    private func contract(_ reader: inout SettingsReader) -> Contract {
        guard let name = reader.text("CONTRACT") else { return .latchkey }
        if let contract = Contract.named(name) { return contract }
        let names = Contract.all.map(\.name).joined(separator: ", ")
        reader.refuse("CONTRACT must be one of \(names)")
        return .latchkey
    }

    private func issuer(_ reader: inout SettingsReader, _ store: StoreSettings) -> String {
        let standard = "http://localhost:8000"
        guard let issuer = reader.text("ISSUER") else {
            if case .dynamoDB = store { reader.refuse("ISSUER is required with a DynamoDB store") }
            return standard
        }
        let isSecure = issuer.hasPrefix("https://")
        let isLocal = ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { base in
            issuer.utf8.elementsEqual(base.utf8) || issuer.hasPrefix(base + ":")
                || issuer.hasPrefix(base + "/")
        }
        if !isSecure && !isLocal || issuer.utf8.count > 255 {
            reader.refuse("ISSUER must be an https URL (http only for this machine)")
        }
        return issuer
    }

    private func policy(_ reader: inout SettingsReader, _ contract: Contract) -> Policy {
        var policy = contract.policy
        if let audience = reader.text("TOKEN_AUDIENCE") { policy.accessToken.audience = audience }
        if let seconds = reader.integer("REFRESH_GRACE_SECONDS", 0...300) {
            policy.grace = .seconds(seconds)
        }
        if let answer = reader.choice("REQUIRE_NONCE", Answer.self), policy.nonce != .none {
            policy.requiresNonce = answer == .yes
        }
        return policy
    }

    private enum Answer: String, CaseIterable {
        case yes = "true"
        case no = "false"
    }

    private func open(
        _ settings: StoreSettings, _ aws: AWSParts
    ) throws(StartFailure) -> any KeyValueStore {
        switch settings {
        case .memory: return MemoryStore(clock: clock)
        case .sqlite(let path):
            do {
                return try SQLiteStore(path: path, clock: clock)
            } catch {
                throw StartFailure(problems: ["STORE: \(error.explanation)"])
            }
        case .dynamoDB(let table):
            guard let store = aws.dynamoDBStore(table: table) else {
                throw StartFailure(problems: ["AWS_REGION is required"])
            }
            return store
        }
    }
}

extension StoreFailure {
    /// For the operator.
    var explanation: String {
        switch self {
        case .conditionFailed: "the store refused a condition"
        case .unavailable(let detail), .invalid(let detail): detail
        }
    }
}

extension Algorithm {
    init(_ algorithm: AccessTokenForm.Algorithm) {
        switch algorithm {
        case .rs256: self = .rs256
        case .es256: self = .es256
        case .edDSA: self = .edDSA
        case .hs256: self = .hs256
        }
    }
}
