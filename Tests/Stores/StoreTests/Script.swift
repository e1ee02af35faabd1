import AWSClients
import BaseTestSupport
import DynamoDBStore

/// A service whose responses come from a function, and which records requests.
final class Script: Sendable {
    struct Request: Sendable {
        let operation: String
        let body: JSON
        /// Whether the call may be repeated after a lost response.
        let repeats: Bool
    }

    private let requests = Mutex<[Request]>([])
    private let answer: @Sendable (Request) -> JSON

    init(_ answer: @escaping @Sendable (Request) -> JSON) { self.answer = answer }

    var seen: [Request] { requests.withLock { $0 } }

    func store() -> DynamoDBStore {
        Self.store(
            DynamoDBCall { call throws(AWSFailure) in
                let repeats =
                    switch call.repetition {
                    case .always: true
                    case .onlyWhenNothingHappened: false
                    }
                let request = Request(operation: call.operation, body: call.body, repeats: repeats)
                self.requests.withLock { $0.append(request) }
                return self.answer(request)
            })
    }

    static func store(_ call: DynamoDBCall, table: String = "t") -> DynamoDBStore {
        DynamoDBStore(
            table: table, clock: .fixed(at: MovableClock.start), random: .system,
            pause: { _ in }, call: call)
    }
}
