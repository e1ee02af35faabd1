internal import Synchronization
internal import Time

/// Runs the invocations of one function.
protocol InvocationDispatcher: Sendable {
    var function: FunctionConfiguration { get }
    func submit(_ invocation: Invocation)
    /// Accepts no more invocations. Running invocations finish, and idle processes end.
    func drain()
    /// Ends everything; queued invocations fail.
    func stop()
}

/// The dispatchers of all functions share this context.
final class DispatchContext: Sendable {
    let supervisor: ProcessSupervisor
    let settings: FunctionSettings
    let clock: WallClock
    let identifiers: Identifiers
    let records: InvocationRecords
    let sink: FunctionLogSink?

    init(
        supervisor: ProcessSupervisor, settings: FunctionSettings, clock: WallClock,
        identifiers: Identifiers, records: InvocationRecords, sink: FunctionLogSink?
    ) {
        self.supervisor = supervisor
        self.settings = settings
        self.clock = clock
        self.identifiers = identifiers
        self.records = records
        self.sink = sink
    }

    func outputLog(_ function: FunctionConfiguration) -> OutputLog {
        let name = function.name
        guard let sink else { return OutputLog { _, _ in } }
        return OutputLog { sink.write(name, $0, $1) }
    }

    func noteStart(_ function: FunctionConfiguration, _ invocation: Invocation) {
        guard invocation.beginsLog() else { return }
        let id = invocation.requestID
        sink?.write(function.name, id, Array(LogFrame.start(id).utf8)[...])
    }

    func throttle(_ invocation: Invocation, reason: String) {
        invocation.complete(
            InvocationResult(
                requestID: invocation.requestID, outcome: .throttled(reason: reason)))
    }
}

/// A completed invocation, with the data for its log and its record.
struct CompletedInvocation {
    let function: FunctionConfiguration
    let invocation: Invocation
    let started: UInt64
    let initDuration: UInt64?
    let outcome: InvocationResult.Outcome
    var streamedType: String?
    /// Why it failed, unless the function itself reported the error.
    var failure: FunctionFailure?
    let residentBytes: Int64
    let output: [UInt8]

    private var isTimeout: Bool { if case .timedOut? = failure { true } else { false } }

    /// Responds to the caller first, then updates log and records.
    func settle(_ dispatch: DispatchContext) {
        let now = MonotonicClock.nanoseconds
        dispatch.noteStart(function, invocation)
        var frame = LogFrame(
            requestID: invocation.requestID, duration: now - started,
            memoryMegabytes: function.memoryMegabytes, residentBytes: residentBytes,
            initDuration: initDuration, timeout: timeoutLine(dispatch.clock))
        if let failure, let text = failure.log(invocation.requestID, output: output) {
            frame.failure = (text, failure.type)
        }
        invocation.complete(
            InvocationResult(
                requestID: invocation.requestID, outcome: outcome, streamedType: streamedType,
                logTail: invocation.request.wantsLog ? tail(frame) : []))
        guard !invocation.request.isQuiet else { return }
        if let sink = dispatch.sink {
            let id = invocation.requestID
            if let last = output.last, last != 0x0A { sink.write(function.name, id, [0x0A]) }
            sink.write(function.name, id, Array(frame.end.utf8)[...])
        }
        dispatch.records.append(record(frame))
    }

    private func tail(_ frame: LogFrame) -> [UInt8] {
        var log = Array(LogFrame.start(invocation.requestID).utf8) + output
        if let last = output.last, last != 0x0A { log.append(0x0A) }
        return (log + Array(frame.end.utf8)).suffix(FunctionLimits.logTailBytesMax)
    }

    private func timeoutLine(_ clock: WallClock) -> String? {
        guard isTimeout else { return nil }
        let text = FunctionFailure.timeoutText(function.timeoutMilliseconds)
        return "\(clock.now().iso8601Milliseconds) \(invocation.requestID) \(text)"
    }

    private func record(_ frame: LogFrame) -> InvocationRecord {
        let (status, answer): (InvocationRecord.Status, [UInt8]) =
            switch outcome {
            case .answered(let body): (.answered, body)
            case .failed(let body): (isTimeout ? .timedOut : .failed, body)
            case .throttled, .unknownFunction: (.throttled, [])
            }
        let payload = invocation.request.payload
        let bytesMax = FunctionLimits.recordBodyBytesMax
        return InvocationRecord(
            requestID: invocation.requestID, traceID: invocation.traceID, function: function.name,
            startedAt: invocation.submittedAt, startNanoseconds: started,
            durationMicroseconds: Int(frame.duration / 1000),
            billedMilliseconds: frame.billedMilliseconds,
            initMicroseconds: initDuration.map { Int($0 / 1000) },
            residentBytesMax: residentBytes, status: status,
            payload: Self.cut(payload, bytesMax), answer: Self.cut(answer, bytesMax),
            output: Self.cut(output, FunctionLimits.recordOutputBytesMax),
            isCut: max(payload.count, answer.count) > bytesMax,
            isScheduled: invocation.request.isScheduled)
    }

    private static func cut(_ bytes: [UInt8], _ bytesMax: Int) -> [UInt8] {
        bytes.count <= bytesMax ? bytes : Array(bytes.suffix(bytesMax))
    }
}
