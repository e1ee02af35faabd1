import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Contracts
import FunctionRuntime
import JSON
import KeyValueStore
import Time

/// The functions of a contract: the bytes of a gateway's event in, the bytes of its answer out.
final class Deployment {
    enum Failure: Error { case noContract(String), noEvent }

    let fleet: Fleet
    let contract: Contract
    let running: RunningFunctions
    private let store: FunctionStore
    /// What the store holds, without faults.
    private let contents: any KeyValueStore
    let storage: FakeStorageBroker
    private let world: World
    private let decoder = EventDecoder()
    private var requests = 0
    /// Calls of the store in the latest request, before its reply.
    private(set) var callsBeforeReply = 0
    /// Whether the latest answer is an error that nothing has caused: no fault, and no other function
    /// that has changed the same rows.
    private(set) var failsByItself = false
    let flaws: DeploymentFlaws

    init(
        contract name: String, _ kind: StoreKind, _ world: World, _ mutation: Mutation?,
        seed: UInt64
    ) throws {
        guard let contract = Contract.named(name) else { throw Failure.noContract(name) }
        self.contract = contract
        self.world = world
        flaws = DeploymentFlaws()
        let storeFlaws = StoreFlaws()
        var policy = Self.policy(of: contract)
        mutation?.plant(&policy)
        mutation?.plant(storeFlaws)
        mutation?.plant(flaws)
        running = RunningFunctions(world)
        switch mutation?.dynamoDB == nil ? kind : .dynamodb {
        case .memory:
            contents = MemoryStore(clock: world.scheduler.clock.wall)
            store = FunctionStore(contents, world, running, storeFlaws)
        case .dynamodb:
            let table = try SimulatedDynamoDB(
                world, running, bug: mutation?.dynamoDB, seed: seed)
            contents = try table.contents()
            store = FunctionStore(
                try table.store(), of: contents, world, running, storeFlaws)
        }
        storage = FakeStorageBroker()
        // Real signatures cost as much as all else: some runs have them.
        let storesKeys = world.happens(percent: 12)
        policy.accessTokens.algorithm = storesKeys ? .edDSA : .hs256
        fleet = try Fleet(
            Fleet.Surroundings(
                policy: policy, clock: world.scheduler.clock, store: store, storage: storage,
                storesKeys: storesKeys, seed: seed), mutation?.rollout ?? .careful, world)
    }

    /// Of the functions with the newest settings.
    var kit: AuthKit { fleet.newest }

    /// Cheap hashes and signatures: their real forms are tested elsewhere.
    private static func policy(of contract: Contract) -> Policy {
        contract.policy.with {
            $0.passwords?.cost = PasswordCost(memoryKiB: 8, passes: 1, lanes: 1)
            $0.links = LinkPolicy(base: "https://app.example.com/auth")
        }
    }

    /// - Returns: nil if the function was killed.
    func answer(_ request: WireRequest, from address: String) throws -> WireAnswer? {
        requests += 1
        running.begin()
        running.chooseRelease()
        defer { running.end() }
        let depth = running.depth - 1
        let instance =
            try running.isFormer
            ? fleet.pickFormer(depth: depth) : fleet.pick(depth: depth)
        let auth = fleet[instance]
        let decoded = try decoder.decode(
            request.event(number: requests, address: address),
            in: InvocationContext(requestID: "\(requests)"))
        let (calls, begun, faults) = (store.calls, running.begun, world.faultCount)
        let outcome = Router(contract, serving: contract.endpoints, auth)
            .outcome(of: decoded.request)
        callsBeforeReply = store.calls - calls
        let hasLost =
            outcome.failure?.error == .auth(.unavailable(.contention)) && running.begun > begun
        failsByItself =
            outcome.answer.status >= 500 && world.faultCount == faults && !hasLost
        var bytes = ReplyEncoder.encode(outcome.answer.reply, as: decoded.replyForm)
        if let other = flaws.reply(to: decoded.request, outcome.answer) {
            bytes = ReplyEncoder.encode(other.reply, as: decoded.replyForm)
        }
        if running.isKilled {
            // What it would have done after the reply is lost.
            fleet.restart(instance)
            return nil
        }
        // What a merge moves after its reply is moved by housekeeping if the function has no time.
        let isLate = request.path == "/auth/merge" && world.happens(percent: 50)
        if !isLate, !world.happens(.mailLate) {
            auth.afterReply.run(until: nil)
        } else {
            fleet.restart(instance)
        }
        return try WireAnswer(bytes)
    }

    /// The events in the audit log of an account.
    func auditEvents(of user: String) -> [AuditEvent: Int] {
        guard let id = UserID(parsing: user) else { return [:] }
        var counts: [AuditEvent: Int] = [:]
        var after: String?
        repeat {
            let query = PartitionQuery(
                AuditChain.account(id).partition, limit: 100, after: after)
            guard let page = try? contents.query(query) else { return counts }
            for item in page.items {
                if let name = try? AuditRecord(item).entry.event,
                    let event = AuditEvent(rawValue: name)
                {
                    counts[event, default: 0] += 1
                }
            }
            after = page.next
        } while after != nil
        return counts
    }

    /// The scheduled function: it sends the mail that is due, and cleans up.
    func keepHouse() {
        _ = run { auth throws(AuthError) in
            _ = try auth.housekeeping(
                [
                    .sendDueMail, .sweepGuests, .finishMerges, .finishDeletions, .removeExpired,
                    .replaceMasterKey,
                ], until: nil)
        }
        kit.finishReply()
    }

    /// Runs an operation that no client asks for.
    ///
    /// - Returns: nil if it failed, or was killed.
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
    /// As an HTTP API of API Gateway sends it to Lambda, payload format 2.0.
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
    /// Of the document that a function answers to an HTTP API.
    fileprivate init(_ document: [UInt8]) throws {
        let answer = try EventDecoder.event(document)
        guard let status = answer["statusCode"]?.int64Value,
            let body = answer["body"]?.stringValue, let headers = answer["headers"]?.objectValue
        else { throw Deployment.Failure.noEvent }
        self.init(
            status: Int(status),
            headers: headers.members.map { (name: $0.name, value: $0.value.stringValue ?? "") },
            body: Array(body.utf8))
    }
}
