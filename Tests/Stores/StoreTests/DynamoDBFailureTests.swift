import AWSClients
import DynamoDBStore
import Testing

@Suite("DynamoDBStore: failures")
struct DynamoDBFailureTests {
    enum Outcome: Sendable { case conditionFailed, unavailable, refused }

    static let failures: [(AWSFailure, Outcome)] = [
        (refused("ConditionalCheckFailedException"), .conditionFailed),
        (cancelled("ConditionalCheckFailed"), .conditionFailed),
        (cancelled("None", "None", "ConditionalCheckFailed"), .conditionFailed),
        (cancelled("TransactionConflict", "ConditionalCheckFailed"), .conditionFailed),
        (cancelled("ConditionalCheckFailed", "ThrottlingError"), .conditionFailed),
        (cancelled("None", "TransactionConflict"), .unavailable),
        (cancelled("ThrottlingError", "TransactionConflict"), .unavailable),
        (cancelled("ProvisionedThroughputExceeded"), .unavailable),
        (cancelled("None", "ValidationError"), .refused),
        (cancelled("ItemCollectionSizeLimitExceeded", "TransactionConflict"), .refused),
        (cancelled("ConditionalCheckFailedLately"), .refused),
        (refused("TransactionConflictException"), .unavailable),
        (refused("TransactionInProgressException"), .unavailable),
        (refused("ProvisionedThroughputExceededException"), .unavailable),
        (refused("ThrottlingException"), .unavailable),
        (refused("RequestLimitExceeded"), .unavailable),
        (refused("InternalServerError", status: 500), .unavailable),
        (refused("", status: 503), .unavailable), (refused("ExpiredTokenException"), .unavailable),
        (refused("ValidationException"), .refused),
        (refused("ResourceNotFoundException"), .refused),
        (refused("AccessDeniedException"), .refused),
        (refused("UnrecognizedClientException"), .refused),
        (refused("IdempotentParameterMismatchException"), .refused),
        (refused("ItemCollectionSizeLimitExceededException"), .refused), (refused(""), .refused),
        (.credentials(.missing), .refused), (.credentials(.invalid), .refused),
        (.credentials(.expired), .unavailable), (.credentials(.unavailable), .unavailable),
        (.unreachable(.invalidURL, mayHaveHappened: false), .refused),
        (.unreachable(.timedOut, mayHaveHappened: true), .unavailable),
        (.unreachable(.connectFailed(detail: ""), mayHaveHappened: false), .unavailable),
        (.malformedResponse, .unavailable),
    ]

    @Test(arguments: failures)
    func `an error of the service is mapped the same in every call, without its message`(
        failure: AWSFailure, outcome: Outcome
    ) {
        let key = ItemKey("p", "s")
        let store = Script.store(DynamoDBCall { _ throws(AWSFailure) in throw failure })
        let calls: [() throws -> Void] = [
            { _ = try store.get(key) },
            { _ = try store.get([key, ItemKey("p", "t")]) },
            { _ = try store.query(PartitionQuery("p", limit: 1)) },
            { try store.write([.delete(key, when: [])]) },
            { try store.write([.delete(key, when: [.present])]) },
        ]
        for call in calls {
            switch (#expect(throws: StoreFailure.self, performing: call), outcome) {
            case (.conditionFailed, .conditionFailed):
                break
            case (.unavailable(let detail), .unavailable), (.refused(let detail), .refused):
                #expect(detail.hasPrefix("dynamodb:t: "))
                #expect(!detail.contains("secret"))
            case (let other, _):
                Issue.record("\(String(describing: other))")
            }
        }
    }

    @Test func `a counter that is always changed concurrently fails`() {
        // The condition fails each time, and the item has disappeared each time it is read.
        let store = Script.store(
            DynamoDBCall { call throws(AWSFailure) in
                guard call.operation == "GetItem" else {
                    throw Self.refused("ConditionalCheckFailedException")
                }
                return [:]
            })
        #expect(
            throws: StoreFailure.unavailable(
                detail: "dynamodb:t: a counter changed too often during the addition")
        ) { try store.increment(ItemKey("p", "s"), by: 1, expiresAt: Instant(seconds: 1)) }
    }

    private static func refused(_ code: String, status: Int = 400) -> AWSFailure {
        .refused(AWSRefusal(status: status, code: code, message: "a secret"))
    }

    private static func cancelled(_ codes: String...) -> AWSFailure {
        let reasons = codes.map { JSON.object(["Code": .string($0), "Message": "a secret"]) }
        return .refused(
            AWSRefusal(
                status: 400, code: "TransactionCanceledException", message: "a secret",
                body: ["CancellationReasons": .array(reasons)]))
    }
}
