internal import Time

/// Handles invocations one after another until the platform ends the process.
struct LambdaLoop {
    let api: RuntimeAPI
    let invoker: Invoker
    let log: Log
    let sleep: @Sendable (Span) -> Void
    let setTraceID: @Sendable (String?) -> Void

    /// Consecutive failures of `next` before giving up; the pauses double.
    static let nextAttemptsMax = 6
    private static let firstPauseMilliseconds: Int64 = 10

    private static let tooLarge = FunctionError(
        type: "Function.ResponseSizeTooLarge",
        message: "Response payload size exceeded maximum allowed payload size (6291556 bytes).")

    /// Returns the exit status when the Runtime API can no longer be used.
    func run() -> Int32 {
        var failures = 0
        while true {
            do {
                let invocation = try api.next()
                failures = 0
                setTraceID(invocation.traceID)
                // Until this process requests the next event, the platform neither suspends it nor
                // gives it other work. The caller already has the answer.
                RequestScope.current.begin(
                    invocation.context.requestID,
                    invocation.traceID.flatMap { TraceContext(amazonHeader: $0) })
                defer {
                    invoker.handler.afterReply(invocation.context.deadline)
                    RequestScope.current.end()
                }
                try serve(invocation)
            } catch {
                failures += 1
                log.error(.nextFailed, ["detail": .failureDetail(error.detail)])
                guard !error.isFatal, failures < Self.nextAttemptsMax else { return 1 }
                sleep(.milliseconds(Self.firstPauseMilliseconds << Int64(failures - 1)))
            }
        }
    }

    /// Only throws errors that end the process; a response that cannot be delivered is dropped.
    private func serve(_ invocation: RuntimeAPI.Invocation) throws(RuntimeAPI.Failure) {
        do {
            try deliver(answer(to: invocation), for: invocation.context.requestID)
        } catch {
            log.with(requestID: invocation.context.requestID).error(
                .postFailed, ["detail": .failureDetail(error.detail)])
            if error.isFatal { throw error }
        }
    }

    private func answer(to invocation: RuntimeAPI.Invocation) -> Result<[UInt8], FunctionError> {
        do {
            return .success(try invoker.answer(invocation.event, in: invocation.context))
        } catch {
            return .failure(error)
        }
    }

    private func deliver(
        _ answer: Result<[UInt8], FunctionError>, for requestID: String
    ) throws(RuntimeAPI.Failure) {
        let log = log.with(requestID: requestID)
        switch answer {
        case .failure(let error):
            log.error(.invocationFailed, ["type": .failureDetail(error.platformType)])
            try api.fail(requestID, error)
        case .success(let body):
            do {
                try api.respond(requestID, body)
            } catch .status(413) {
                log.error(.replyTooLarge, ["bytes": .count(body.count)])
                try api.fail(requestID, Self.tooLarge)
            }
        }
    }
}
