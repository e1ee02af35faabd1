import AuthTestSupport
import Contracts
import FunctionRuntime

/// The functions of a contract. The input is the bytes of a gateway's event, the output the bytes
/// of the response.
final class Deployment {
    enum Failure: Error { case noContract(String), noEvent }

    let fleet: Fleet
    let contract: Contract
    /// The contract's policy in this run, without planted bugs.
    let policy: Policy
    let hooks: AppHooks?
    let receiver: EventReceiver?
    let running: RunningFunctions
    private let store: FunctionStore
    /// The store's contents, read without faults.
    let contents: any KeyValueStore
    let storage: FakeStorageBroker
    private let context: SimulationContext
    private let decoder = EventDecoder()
    private var requests = 0
    /// How many store calls the latest request made before its response.
    private(set) var callsBeforeReply = 0
    /// Whether the latest response is an unexplained error: no fault happened, and no other
    /// function changed the same rows.
    private(set) var failsByItself = false
    let flaws: DeploymentFlaws
    let provider: ProviderFlaws
    /// The sites of clients that describe themselves by a document, with
    /// `Feature.clientDocuments`.
    let sites: ClientSites?
    /// The receivers of logout notices, with `Feature.logout`.
    let logout: LogoutReceiver?
    /// The answers of the hook `authorize` to the latest request.
    private(set) var advice: [AppHooks.Advice] = []
    /// Whether the functions create and store their signing keys.
    let storesKeys: Bool

    init(
        _ parameters: RunParameters, _ context: SimulationContext, _ mutation: Mutation?,
        formerUsers: [String: String], seed: UInt64
    ) throws {
        let (name, kind) = (parameters.contract, parameters.store)
        guard let contract = Contract.named(name) else { throw Failure.noContract(name) }
        self.contract = contract
        self.context = context
        flaws = DeploymentFlaws()
        let storeFlaws = StoreFlaws()
        provider = ProviderFlaws(mutation?.provider)
        var policy = Self.policy(of: contract)
        for feature in parameters.features { feature.change(&policy) }
        parameters.provider.change(&policy)
        self.policy = policy
        let sites = parameters.provider.documents.map { ClientSites($0, context) }
        self.sites = sites
        if provider.flaw != nil { storeFlaws.provider = provider }
        storeFlaws.list = mutation?.list
        mutation?.plant(&policy)
        mutation?.plant(storeFlaws)
        mutation?.plant(flaws)
        running = RunningFunctions(context)
        switch mutation?.dynamoDB == nil ? kind : .dynamodb {
        case .memory:
            contents = MemoryStore(clock: context.scheduler.clock.wall)
            store = FunctionStore(contents, context, running, storeFlaws)
        case .dynamodb:
            let table = try SimulatedDynamoDB(
                context, running, bug: mutation?.dynamoDB, seed: seed)
            contents = try table.contents()
            store = FunctionStore(
                try table.store(), of: contents, context, running, storeFlaws)
        }
        storage = FakeStorageBroker()
        hooks =
            !parameters.features.isDisjoint(with: [.hooks, .authorizeHook])
            ? AppHooks(
                context, running, formerUsers: formerUsers, parameters.features,
                flaw: mutation?.hooks) : nil
        receiver =
            parameters.features.contains(.webhooks)
            ? EventReceiver(context, running, flaw: mutation?.events) : nil
        logout =
            parameters.features.contains(.logout)
            ? LogoutReceiver(context, running, provider, flaw: mutation?.logout) : nil
        // Only some runs have real signatures, which take as much time as everything else.
        storesKeys = context.happens(percent: 12)
        policy.accessTokens.algorithm = storesKeys ? .edDSA : .hs256
        fleet = try Fleet(
            Fleet.SharedServices(
                policy: policy, clock: context.scheduler.clock, store: store, storage: storage,
                hooks: hooks, receiver: receiver,
                oauth: parameters.features.contains(.provider)
                    ? ProviderSettings.services(
                        policy, parameters.provider, sites, provider, logout) : nil,
                storesKeys: storesKeys, seed: seed),
            mutation?.rollout ?? .careful, context)
    }

    /// The services of the functions with the newest settings.
    var kit: AuthKit { fleet.newest }

    /// Uses cheap hashes and signatures. Their real forms are tested elsewhere.
    private static func policy(of contract: Contract) -> Policy {
        contract.policy.with {
            $0.passwords?.cost = PasswordCost(memoryKiB: 8, passes: 1, lanes: 1)
            $0.links = LinkPolicy(base: "https://app.example.com/auth")
            // Only runs with `Feature.revocations` have the list.
            $0.revocations = nil
        }
    }

    /// - Returns: nil if the function was killed.
    func answer(_ sent: WireRequest, from address: String) throws -> WireAnswer? {
        requests += 1
        let request = provider.received(sent)
        provider.begin(request)
        defer { provider.end() }
        running.begin()
        running.chooseRelease()
        defer {
            advice = hooks?.takeAdvice() ?? []
            running.end()
        }
        let depth = running.depth - 1
        let instance =
            try running.isFormer
            ? fleet.pickFormer(depth: depth) : fleet.pick(depth: depth)
        let auth = fleet[instance]
        let decoded = try decoder.decode(
            request.event(number: requests, address: address),
            in: InvocationContext(requestID: "\(requests)"))
        let (calls, begun, faults) = (store.calls, running.begun, context.faultCount)
        let outcome = Router(contract, serving: contract.endpoints, auth)
            .outcome(of: decoded.request)
        callsBeforeReply = store.calls - calls
        let hasLost =
            outcome.failure?.error == .auth(.unavailable(.contention)) && running.begun > begun
        failsByItself =
            outcome.answer.status >= 500 && context.faultCount == faults && !hasLost
            && hooks?.isSlow != true
        var bytes = ReplyEncoder.encode(outcome.answer.reply, as: decoded.replyForm)
        if let other = flaws.reply(to: decoded.request, outcome.answer) {
            bytes = ReplyEncoder.encode(other.reply, as: decoded.replyForm)
        }
        if running.isKilled {
            // The function is stopped, and its work after the response is lost.
            fleet.restart(instance)
            return nil
        }
        // If the function has no time after its response, housekeeping finishes the merge.
        let isLate = request.path == "/auth/merge" && context.happens(percent: 50)
        if !isLate, !context.happens(.mailLate) {
            auth.afterReply.run(until: nil)
        } else {
            fleet.restart(instance)
        }
        return provider.answered(try WireAnswer(bytes), to: sent)
    }

    /// The partitions of the audit log, one for each chain.
    func auditChains() -> [String] {
        var chains: [String] = []
        var after: ItemKey?
        repeat {
            guard let page = try? contents.partitions(withPrefix: "AUDIT#", after: after) else {
                return chains
            }
            chains += page.keys.map(\.partition)
            after = page.next
        } while after != nil
        return chains
    }

    /// The events of a chain, the newest first.
    func auditEntries(inPartition partition: String) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        var after: String?
        repeat {
            let query = PartitionQuery(partition, limit: 100, after: after)
            guard let page = try? contents.query(query) else { return entries }
            entries += page.items.compactMap { try? AuditRecord($0).entry }
            after = page.next
        } while after != nil
        return entries
    }

    /// The account that has claimed an address.
    func owner(of address: String) -> String? {
        guard let email = EmailAddress(parsing: address),
            let claim = try? contents.get(StoreLayout.emailClaim(email)),
            case .text(let user)? = claim.attributes["user"]
        else { return nil }
        return user
    }

    /// The stored account.
    func user(_ text: String) -> User? {
        UserID(parsing: text).flatMap { id in
            (try? contents.get(StoreLayout.profile(id))).flatMap { item in
                item.flatMap { try? UserRecord.user($0, id: id) }
            }
        }
    }

    /// Runs the scheduled function, which sends due mail and cleans up.
    func keepHouse() {
        _ = run { auth throws(AuthError) in
            _ = try auth.housekeeping(
                [
                    .sendDueMail, .sendDueWebhooks, .sendLogoutNotices, .sweepGuests,
                    .finishMerges, .finishDeletions, .removeExpired, .replaceMasterKey,
                ], until: nil)
        }
        kit.finishReply()
    }

    /// Whether programs have yet to be notified of an ended session.
    var hasLogoutNotices: Bool {
        (0..<LogoutNotice.shards).contains { shard in
            (try? contents.query(LogoutNotice.query(shard: shard)))?.items.isEmpty == false
        }
    }

    /// Calls the authorizer of a gateway in front of a resource.
    ///
    /// - Returns: nil if the outcome is unknown.
    func authorize(_ event: JSON, for resource: String) -> Bool? {
        let requirement = AuthorizeGrant.Requirement(resource: resource, scopes: [])
        let answer = run { auth throws(AuthError) in
            let gateway = GatewayAuthorizer(
                auth, mode: .required, form: .simple, requirement: requirement)
            return (try? gateway.answer(event) { _ in })?["isAuthorized"]?.boolValue
        }
        return answer ?? nil
    }

    /// Runs an operation that is not started by a client.
    ///
    /// - Returns: nil if it failed or was killed.
    func run<Value>(_ body: (AuthServices) throws(AuthError) -> Value) -> Value? {
        running.begin()
        defer { running.end() }
        let instance = fleet.pick(depth: running.depth - 1)
        let value = try? body(fleet[instance])
        if running.isKilled {
            fleet.restart(instance)
            return nil
        }
        fleet[instance].afterReply.run(until: nil)
        return value
    }
}

extension WireRequest {
    /// The event that an HTTP API of API Gateway sends to Lambda, payload format 2.0.
    fileprivate func event(number: Int, address: String) -> [UInt8] {
        var headers: JSONObject = [:]
        for (name, value) in self.headers { headers[name] = .string(value) }
        let http: JSONObject = [
            "method": .string(method), "sourceIp": .string(address), "userAgent": "Example/1",
        ]
        let context: JSONObject = [
            "http": .object(http), "stage": "$default", "requestId": .string("\(number)"),
        ]
        var event: JSONObject = [
            "version": "2.0", "rawPath": .string(path), "rawQueryString": .string(query),
            "headers": .object(headers), "requestContext": .object(context),
            "isBase64Encoded": false,
        ]
        if !body.isEmpty { event["body"] = .string(String(decoding: body, as: UTF8.self)) }
        return event.serialized
    }
}

extension WireAnswer {
    /// Parses the response document for an HTTP API.
    fileprivate init(_ document: [UInt8]) throws {
        let answer = try EventDecoder.event(document)
        guard let status = answer["statusCode"]?.int64Value,
            let body = answer["body"]?.stringValue, let headers = answer["headers"]?.objectValue
        else { throw Deployment.Failure.noEvent }
        self.init(
            status: Int(status),
            headers: headers.members.map { (name: $0.name, value: $0.value.stringValue ?? "") }
                + (answer["cookies"]?.arrayValue ?? []).compactMap(\.stringValue)
                .map { (name: "set-cookie", value: $0) },
            body: Array(body.utf8))
    }
}
