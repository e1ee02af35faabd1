import AWSClients
import DynamoDBStore

/// The requests of a read with counters, by round.
@Suite("DynamoDBStore: counting and reading in one call")
struct DynamoDBReadTests {
    private static let end = MovableClock.start + .minutes(1)
    private static let counters = ["x", "y"].map {
        CounterIncrement(ItemKey("p", $0), expiresAt: end)
    }
    private static let keys = ["a", "b"].map { ItemKey("p", $0) }

    @Test func `all parts are sent concurrently`() throws {
        let service = Rounds { _, _ in nil }
        let read = try service.store().read(Self.keys, counting: Self.counters)
        expectEqual(service.rounds, [["UpdateItem x", "UpdateItem y", "BatchGetItem"]])
        expectEqual(read, CountedRead(items: [nil, nil], sums: [1, 1]))
        let one = Rounds { _, _ in nil }
        _ = try one.store().read([Self.keys[0]], counting: [Self.counters[0]])
        expectEqual(one.rounds, [["UpdateItem x", "GetItem a"]])
        let listing = Rounds { _, _ in nil }
        let query = PartitionQuery("q", limit: 10)
        let listed = try listing.store().read(
            [Self.keys[0]], counting: [Self.counters[0]], listing: query)
        expectEqual(listing.rounds, [["UpdateItem x", "GetItem a", "Query"]])
        expectEqual(listed.page, Page(items: [], next: nil))
    }

    @Test func `an incomplete page is continued without repeating the other parts`() throws {
        let more =
            #"{"Items":[{"pk":{"S":"q"},"sk":{"S":"a"}}],"#
            + #""LastEvaluatedKey":{"pk":{"S":"q"},"sk":{"S":"a"}}}"#
        let service = Rounds { part, round in
            part == "Query" && round == 0
                ? .success(HTTPResponse(status: 200, body: Array(more.utf8))) : nil
        }
        let read = try service.store().read(
            Self.keys, counting: Self.counters, listing: PartitionQuery("q", limit: 2))
        expectEqual(
            service.rounds,
            [["UpdateItem x", "UpdateItem y", "BatchGetItem", "Query"], ["Query"]])
        #expect(read.page?.items.map(\.key.sort) == ["a"] && read.page?.next == nil)
        expectEqual(read.sums, [1, 1])
    }

    @Test func `a failed page fails the call`() throws {
        let service = Rounds { part, _ in
            part == "Query" ? Rounds.refusal("AccessDeniedException") : nil
        }
        expectFailure(isRefused: true) {
            _ = try service.store().read(
                Self.keys, counting: Self.counters, listing: PartitionQuery("q", limit: 2))
        }
    }

    @Test func `a throttled part is retried without repeating the others`() throws {
        let service = Rounds { part, round in
            part == "UpdateItem y" && round == 0 ? Rounds.refusal("ThrottlingException") : nil
        }
        let read = try service.store().read(Self.keys, counting: Self.counters)
        expectEqual(
            service.rounds,
            [["UpdateItem x", "UpdateItem y", "BatchGetItem"], ["UpdateItem y"]])
        expectEqual(read.sums, [1, 1])
    }

    @Test func `lost responses are retried for items, not for counters`() throws {
        let items = Rounds { part, round in
            part == "BatchGetItem" && round == 0 ? .failure(.timedOut) : nil
        }
        _ = try items.store().read(Self.keys, counting: Self.counters)
        expectEqual(items.rounds.dropFirst(), [["BatchGetItem"]])
        let counter = Rounds { part, _ in
            part == "UpdateItem x" ? .failure(.interrupted(detail: "")) : nil
        }
        #expect(throws: StoreFailure.unavailable(detail: "dynamodb:t: no answer")) {
            try counter.store().read(Self.keys, counting: Self.counters)
        }
        expectEqual(counter.rounds.count, 1)
    }

    @Test func `permanent errors are reported first`() throws {
        for (first, second) in [
            ("UpdateItem x", "BatchGetItem"), ("BatchGetItem", "UpdateItem x"),
        ] {
            let service = Rounds { part, _ in
                switch part {
                case first: Rounds.refusal("AccessDeniedException")
                case second: Rounds.refusal("ThrottlingException")
                default: nil
                }
            }
            expectFailure(isRefused: true) {
                _ = try service.store().read(Self.keys, counting: Self.counters)
            }
        }
    }

    @Test func `an expired counter needs another round, and a conflict one more`() throws {
        let failed = "ConditionalCheckFailedException"
        let service = Rounds { part, round in
            switch (part, round) {
            case ("UpdateItem x", 0):
                Rounds.refusal(failed, item(MovableClock.start, count: 9))
            // Another process has restarted the counter in the meantime.
            case ("PutItem x", 1): Rounds.refusal(failed, item(Self.end, count: 1))
            default: nil
            }
        }
        let read = try service.store().read(Self.keys, counting: Self.counters)
        expectEqual(
            service.rounds,
            [["UpdateItem x", "UpdateItem y", "BatchGetItem"], ["PutItem x"], ["UpdateItem x"]])
        expectEqual(read.sums, [1, 1])
    }

    @Test func `the item is read if the failure does not include it`() throws {
        let service = Rounds { part, round in
            part == "UpdateItem x" && round == 0
                ? Rounds.refusal("ConditionalCheckFailedException") : nil
        }
        let read = try service.store().read([], counting: Self.counters)
        expectEqual(
            service.rounds,
            [["UpdateItem x", "UpdateItem y"], ["GetItem x"], ["UpdateItem x"]])
        expectEqual(read.sums, [1, 1])
    }
}

/// The member of a failure with the conflicting counter.
private func item(_ expiry: Instant, count: Int) -> String {
    #""Item":{"pk":{"S":"p"},"sk":{"S":"x"},"_count":{"N":"\#(count)"},"#
        + #""expiresAtMs":{"N":"\#(expiry.milliseconds)"}}"#
}

/// A service that records which requests were sent together, and fails where a test says.
private final class Rounds: Sendable {
    typealias Outcome = HTTPTransport.Outcome

    private let seen = Mutex<[[String]]>([])
    private let fault: @Sendable (_ part: String, _ round: Int) -> Outcome?

    init(fault: @escaping @Sendable (_ part: String, _ round: Int) -> Outcome?) {
        self.fault = fault
    }

    /// The operations of each round with the sort keys of their items.
    var rounds: [[String]] { seen.withLock { $0 } }

    func store() throws -> DynamoDBStore {
        let transport = HTTPTransport(
            send: { request throws(HTTPFailure) in try self.answer([request])[0].get() },
            sendAll: { self.answer($0) })
        let client = try Service.client(url: "http://127.0.0.1:1", transport: transport) { _ in }
        return Script.store(DynamoDBCall(client))
    }

    static func refusal(_ code: String, _ member: String = "") -> Outcome {
        let body = #"{"__type":"\#(code)"\#(member.isEmpty ? "" : ",")\#(member)}"#
        return .success(HTTPResponse(status: 400, body: Array(body.utf8)))
    }

    private func answer(_ requests: [HTTPRequest]) -> [Outcome] {
        let parts = requests.map(Self.part)
        let round = seen.withLock { seen in
            seen.append(parts)
            return seen.count - 1
        }
        return parts.map { part in fault(part, round) ?? Self.success(part) }
    }

    private static func part(_ request: HTTPRequest) -> String {
        let target = request.headers.value("x-amz-target") ?? ""
        let operation = target.split(separator: ".").last.map(String.init) ?? ""
        let body = try? JSON.parse(request.body, limits: .request)
        let sort = (body?["Key"] ?? body?["Item"])?["sk"]?["S"]?.stringValue
        return sort.map { "\(operation) \($0)" } ?? operation
    }

    private static func success(_ part: String) -> Outcome {
        let counted = #"{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"},"_count":{"N":"1"}}}"#
        let body = part.hasPrefix("UpdateItem") ? counted : "{}"
        return .success(HTTPResponse(status: 200, body: Array(body.utf8)))
    }
}
