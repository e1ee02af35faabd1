import AWSClients
import AWSSignature
import AuthTestSupport
import DynamoDBStore
import EmulatorDynamoDB

/// Which service holds the functions' rows.
package enum StoreKind: String, CaseIterable, Sendable {
    case memory, dynamodb
}

/// A DynamoDB table. The functions' real store code signs and repeats requests and parses
/// responses, but its HTTP client is replaced by the emulator's engine, which gets the same bytes.
/// Between the two, messages are lost, delayed and damaged, the service throttles and fails, and
/// other functions run.
///
/// A simulation runs on a single thread, so nothing here needs a lock.
final class SimulatedDynamoDB: @unchecked Sendable {
    private let service: DynamoDBService
    private let replica: LaggingReplica
    private let context: SimulationContext
    private let running: RunningFunctions
    private let bug: DynamoDBBug?
    private let seed: UInt64

    init(
        _ context: SimulationContext, _ running: RunningFunctions, bug: DynamoDBBug?, seed: UInt64
    ) throws {
        let clock = context.scheduler.clock.wall
        service = try DynamoDBService(.memory, clock: clock, random: .seeded(seed ^ 0xD1))
        replica = try LaggingReplica(context, seed: seed)
        self.context = context
        self.running = running
        self.bug = bug
        self.seed = seed
        try contents().createTable()
    }

    /// The store that the functions use.
    func store() throws -> DynamoDBStore {
        try store(
            HTTPTransport(
                send: { request throws(HTTPFailure) in try self.send(request) },
                sendAll: { self.sendAll($0) }))
    }

    /// A store for reading the contents, without faults and without other functions running.
    func contents() throws -> DynamoDBStore {
        try store(
            HTTPTransport { request in
                self.perform(DynamoDBRequest(request))
            })
    }

    private func store(_ transport: HTTPTransport) throws -> DynamoDBStore {
        let clock = context.scheduler.clock
        let pause: @Sendable (Span) -> Void = { clock.advance(by: $0) }
        let ports = AWSPorts(
            transport: transport, clock: clock.wall, random: .seeded(seed ^ 0xD2), sleep: pause)
        let keys = AWSCredentials(
            accessKeyID: "AKIAEXAMPLE", secretAccessKey: SecretBytes(utf8: "secret"))
        let client = DynamoDBClient(
            try AWSSettings { $0 == "AWS_REGION" ? "us-east-1" : nil }, ports,
            credentials: .fixed(keys))
        return DynamoDBStore(
            table: "latchkey", clock: clock.wall, random: .seeded(seed ^ 0xD3), pause: pause,
            call: DynamoDBCall(client))
    }

    // MARK: Requests of functions

    /// Sends the requests at the same time, so that they arrive in any order.
    private func sendAll(_ requests: [HTTPRequest]) -> [HTTPTransport.Outcome] {
        var outcomes = [HTTPTransport.Outcome?](repeating: nil, count: requests.count)
        var waiting = Array(requests.indices)
        while !waiting.isEmpty {
            let index = waiting.remove(at: context.scheduler.draw(below: waiting.count))
            outcomes[index] = Result { () throws(HTTPFailure) in try send(requests[index]) }
        }
        return outcomes.compactMap { $0 }
    }

    private static let writeFaults: [Fault] = [
        .functionKilledBeforeWrite, .functionKilledAfterWrite, .storeUnavailable,
        .storeAnswerLost, .storeRequestLate, .storeThrottled, .storeConflict, .storeFailed,
        .storeAnswerDamaged,
    ]
    private static let readFaults: [Fault] = [
        .storeUnavailable, .storeAnswerLost, .storeThrottled, .storeFailed, .storeAnswerDamaged,
    ]

    private func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        running.waitForStore()
        // Makes the call fail at once, without a retry.
        guard !running.isKilled else { throw .invalidURL }
        removeExpiredRows()
        var call = DynamoDBRequest(request)
        if let bug { call = bug.changing(call) }
        switch context.first(of: call.isRead ? Self.readFaults : Self.writeFaults) {
        case .functionKilledBeforeWrite:
            running.kill()
            throw .invalidURL
        case .functionKilledAfterWrite:
            _ = answer(call)
            running.kill()
            throw .invalidURL
        case .storeUnavailable:
            if bug == .unsentIsDone, !call.isRead { return .done }
            throw .connectFailed(detail: "refused")
        case .storeAnswerLost:
            _ = answer(call)
            throw lost(request)
        case .storeRequestLate:
            arriveLater(call)
            throw lost(request)
        case .storeThrottled:
            if bug == .throttledIsDone, !call.isRead { return .done }
            return changing(throttled(call))
        case .storeConflict: return changing(.conflict(with: call, at: context.scheduler.draw))
        case .storeFailed:
            if context.happens(percent: 50) { _ = answer(call) }
            return .refusal("InternalServerError", status: 500)
        case .storeAnswerDamaged: return answer(call).damaged
        default: return changing(answer(call))
        }
    }

    private func changing(_ answer: HTTPResponse) -> HTTPResponse {
        bug?.changing(answer) ?? answer
    }

    private func lost(_ request: HTTPRequest) -> HTTPFailure {
        guard context.happens(percent: 20) else { return .interrupted(detail: "reset") }
        let limit = request.limits.totalMillisecondsMax ?? 0
        context.scheduler.clock.advance(by: .milliseconds(Int64(limit)))
        return .timedOut
    }

    /// Delivers the request after its sender has given up.
    private func arriveLater(_ call: DynamoDBRequest) {
        context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true, happen: { [self] in _ = perform(call) },
                abandon: {}), isLate: context.happens(percent: 50))
    }

    /// Throttles some keys of a batch, or the whole request.
    private func throttled(_ call: DynamoDBRequest) -> HTTPResponse {
        if let (first, rest) = call.parts(at: context.scheduler.draw) {
            return answer(first).withUnprocessed(rest)
        }
        return .throttled(call, at: context.scheduler.draw)
    }

    private func removeExpiredRows() {
        guard context.mayHappen(.storeRowsRemoved) else { return }
        let (now, count) = (context.scheduler.clock.now, 1 + context.scheduler.draw(below: 16))
        if let removed = try? service.expireNow(at: now, itemsMax: count), removed > 0 {
            replica.add(.removal(at: now, rowsMax: count))
        }
    }

    // MARK: The service

    private func answer(_ call: DynamoDBRequest) -> HTTPResponse {
        if bug == .twoWrites, let writes = call.writes { return makeInTurn(writes) }
        guard call.operation == "Query", context.mayHappen(.storePageShort) else {
            return perform(call)
        }
        return perform(call.withShorterPage(at: context.scheduler.draw))
    }

    private func perform(_ call: DynamoDBRequest) -> HTTPResponse {
        if call.isRead, !call.isConsistent, let late = replica.answer(call) {
            return HTTPResponse(late)
        }
        let response = service.answer(call)
        if !call.isRead, response.status == 200 { replica.add(.request(call)) }
        return HTTPResponse(response)
    }

    /// A planted bug: makes the writes of a transaction one after the other.
    private func makeInTurn(_ writes: [DynamoDBRequest]) -> HTTPResponse {
        for write in writes {
            let response = perform(write)
            guard response.status == 200 else { return response }
            running.waitForStore()
        }
        return .done
    }
}

extension HTTPResponse {
    /// Adds the header that the client reads.
    init(_ response: DynamoDBResponse) {
        self.init(
            status: response.status,
            headers: response.headers.filter { $0.name == "x-amz-crc32" }
                .map { HTTPHeader($0.name, $0.value) }, body: response.body)
    }
}
