internal import EmulatorProcesses
internal import Synchronization
internal import Time

/// What a caller asks of a function.
package struct InvocationRequest: Sendable {
    /// The event's bytes, which reach the function unchanged.
    package var payload: [UInt8]
    /// JSON, not base64.
    package var clientContext: String?
    package var traceID: String?
    package var wantsLog: Bool

    package init(
        payload: [UInt8], clientContext: String? = nil, traceID: String? = nil,
        wantsLog: Bool = false
    ) {
        self.payload = payload
        self.clientContext = clientContext
        self.traceID = traceID
        self.wantsLog = wantsLog
    }
}

/// What became of it.
package struct InvocationResult: Sendable {
    package enum Outcome: Sendable, Equatable {
        case answered([UInt8])
        /// The function failed: `X-Amz-Function-Error: Unhandled`, and the error object.
        case failed([UInt8])
        /// It never ran.
        case throttled(reason: String)
        case unknownFunction
    }

    package var requestID: String
    package var outcome: Outcome
    /// The content type of a reply that was streamed.
    package var streamedType: String?
    /// The last 4 KB of the log, when it was asked for.
    package var logTail: [UInt8]

    package init(
        requestID: String, outcome: Outcome, streamedType: String? = nil, logTail: [UInt8] = []
    ) {
        self.requestID = requestID
        self.outcome = outcome
        self.streamedType = streamedType
        self.logTail = logTail
    }
}

/// One invocation on its way.
final class Invocation: Sendable {
    let requestID: String
    let request: InvocationRequest
    let traceID: String
    let submitted: UInt64
    let submittedAt: Instant
    private let completion: Mutex<(@Sendable (InvocationResult) -> Void)?>

    init(
        requestID: String, request: InvocationRequest, traceID: String, submittedAt: Instant,
        completion: @escaping @Sendable (InvocationResult) -> Void
    ) {
        self.requestID = requestID
        self.request = request
        self.traceID = traceID
        self.submittedAt = submittedAt
        submitted = MonotonicClock.nanoseconds
        self.completion = Mutex(completion)
    }

    /// The first result counts.
    func complete(_ result: InvocationResult) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
