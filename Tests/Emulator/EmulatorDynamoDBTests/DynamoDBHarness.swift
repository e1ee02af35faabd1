import BaseTestSupport
import EmulatorDynamoDB
import Foundation

/// A service with a manual clock and the table `tbl`, whose key is `pk`.
final class DynamoDBHarness: Sendable {
    static let start = Instant(milliseconds: 1_767_225_600_500)

    let service: DynamoDBService
    private let clock = ManualClock()

    init(_ location: StorageLocation = .memory, createsTables: Bool = true) throws {
        service = try DynamoDBService(
            location, clock: WallClock { [clock] in clock.now }, random: .seeded(7))
        guard createsTables else { return }
        try ok("CreateTable", Self.table("tbl"))
    }

    var now: Instant { clock.now }
    func advance(_ span: Span) { clock.advance(span) }

    /// The definition of a table with the partition key `pk`.
    static func table(_ name: String) -> String {
        #"{"TableName":"\#(name)","BillingMode":"PAY_PER_REQUEST","#
            + #""AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"#
            + #""KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}"#
    }

    func call(_ operation: String, _ body: String) -> (status: Int, body: JSON, text: String) {
        let answer = service.answer(
            DynamoDBRequest(
                target: "DynamoDB_20120810.\(operation)",
                contentType: "application/x-amz-json-1.0", body: Array(body.utf8)))
        let json = try? JSON.parse(answer.body, limits: .response)
        return (answer.status, json ?? .null, String(decoding: answer.body, as: UTF8.self))
    }

    /// The response of a request that must succeed.
    @discardableResult
    func ok(
        _ operation: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let answer = call(operation, body)
        try #require(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
        return answer.body
    }

    func item(_ key: String) throws -> JSON? {
        try ok("GetItem", #"{"TableName":"tbl","Key":\#(key)}"#)["Item"]
    }

    func put(_ item: String) throws {
        try ok("PutItem", #"{"TableName":"tbl","Item":\#(item)}"#)
    }
}

final class ManualClock: Sendable {
    private let instant = Mutex(DynamoDBHarness.start)

    var now: Instant { instant.withLock { $0 } }
    func advance(_ span: Span) { instant.withLock { $0 = $0 + span } }
}

func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let directory = FileManager.default.temporaryDirectory
        .appending(path: "latchkey-dynamodb-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try body(directory)
}

/// Calls `body` concurrently on many threads and waits for all of them.
func onThreads<Result: Sendable>(_ count: Int, _ body: @Sendable (Int) -> Result) -> [Result] {
    let results = Mutex<[Result]>([])
    DispatchQueue.concurrentPerform(iterations: count) { index in
        let result = body(index)
        results.withLock { $0.append(result) }
    }
    return results.withLock { $0 }
}
