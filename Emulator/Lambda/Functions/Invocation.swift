internal import Synchronization
internal import Time

/// A request to invoke a function.
package struct InvocationRequest: Sendable {
    /// The event's bytes, passed to the function unchanged.
    package var payload: [UInt8]
    /// The client context as JSON, not base64.
    package var clientContext: String?
    package var traceID: String?
    package var wantsLog: Bool
    /// Whether the request is the emulator's own. Then there are no faults, and it is neither
    /// recorded nor logged.
    package var isQuiet: Bool
    /// Whether a schedule invokes the function.
    package var isScheduled: Bool

    package init(
        payload: [UInt8], clientContext: String? = nil, traceID: String? = nil,
        wantsLog: Bool = false, isQuiet: Bool = false, isScheduled: Bool = false
    ) {
        self.payload = payload
        self.clientContext = clientContext
        self.traceID = traceID
        self.wantsLog = wantsLog
        self.isQuiet = isQuiet
        self.isScheduled = isScheduled
    }
}

/// Sees invocations before they run.
package struct InvocationInterception: Sendable {
    package typealias Completion = @Sendable (InvocationResult) -> Void

    /// Whether there is anything to do. It is called for every invocation.
    package let isOn: @Sendable () -> Bool
    /// Completes the invocation, by running it or otherwise.
    package let handle:
        @Sendable (
            _ function: String, InvocationRequest, _ timeoutMilliseconds: Int?,
            _ completion: @escaping Completion,
            _ run: @escaping @Sendable (@escaping Completion) -> Void
        ) -> Void

    package init(
        isOn: @escaping @Sendable () -> Bool,
        handle:
            @escaping @Sendable (
                String, InvocationRequest, Int?, @escaping Completion,
                @escaping @Sendable (@escaping Completion) -> Void
            ) -> Void
    ) {
        self.isOn = isOn
        self.handle = handle
    }
}

/// The result of an invocation.
package struct InvocationResult: Sendable {
    package enum Outcome: Sendable, Equatable {
        case answered([UInt8])
        /// The function failed: `X-Amz-Function-Error: Unhandled`, and the error object.
        case failed([UInt8])
        /// The function did not run.
        case throttled(reason: String)
        case unknownFunction
    }

    package var requestID: String
    package var outcome: Outcome
    /// The content type of a streamed response.
    package var streamedType: String?
    /// The last 4 KB of the log, if requested.
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

/// One invocation in progress.
final class Invocation: Sendable {
    let requestID: String
    let request: InvocationRequest
    let traceID: String
    let submitted: UInt64
    let submittedAt: Instant
    private let completion: Mutex<(@Sendable (InvocationResult) -> Void)?>
    private let isNoted = Atomic<Bool>(false)

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

    /// Returns true once, because the log has one START line for each invocation.
    func beginsLog() -> Bool {
        !request.isQuiet && !isNoted.exchange(true, ordering: .relaxed)
    }

    /// Only the first result counts.
    func complete(_ result: InvocationResult) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(result)
    }
}
