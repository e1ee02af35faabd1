internal import Cryptography
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorDynamoDB
internal import EmulatorLambda
internal import HTTP
internal import JSON
internal import Synchronization
internal import Time

/// A request that is recorded when it ends.
final class ObservedCall: Sendable {
    private let recorder: TraceRecorder
    private let trace: TraceID
    private let service: FaultService
    /// The marks of the request.
    private let marks: TraceMarks
    private let operation: String
    private let resource: String
    private let startedAt = WallClock.system.now()
    private let start = MonotonicClock.nanoseconds
    private let faults = Mutex<[Int]>([])

    /// The part of an error response that is kept, for its reason.
    private static let detailBytesMax = 2048

    /// A request without a trace header gets its own trace.
    ///
    /// - Parameter traceHeader: `X-Amzn-Trace-Id`, if it differs from the request's.
    init(
        _ subject: FaultSubject, of request: ServerRequest, traceHeader: String? = nil,
        _ services: EmulatorServices
    ) {
        recorder = services.traces
        let named =
            (traceHeader ?? request.header("x-amzn-trace-id")).flatMap {
                TraceID(amazonHeader: $0)
            } ?? request.header("traceparent").flatMap { TraceID(traceparent: $0) }
        trace = named ?? recorder.newTrace(at: startedAt)
        service = subject.service
        (operation, resource) = subject.named(in: request)
        marks = Self.passesTokens(service) ? TraceMarks(request) : TraceMarks()
    }

    /// Whether the function that makes the call was invoked by the emulator itself.
    var isOwn: Bool { trace == recorder.own }

    /// The call as the origin of writes.
    var origin: WriteOrigin { WriteOrigin(trace: trace.number, startNanoseconds: start) }

    /// The slot for the response, which replaces this one.
    func slot(before slot: ResponseSlot) -> ResponseSlot {
        slot.noting { [self] in record($0) }
    }

    func note(faults ids: [Int]) { faults.withLock { $0 += ids } }

    private static func passesTokens(_ service: FaultService) -> Bool {
        service == .route || service == .provider
    }

    private func record(_ response: ServerResponse?) {
        var marks = marks
        if let response, Self.passesTokens(service) { marks.add(response) }
        let ending: RecordedCall.Ending =
            if let response {
                .answered(status: response.status, detail: Self.detail(of: response))
            } else {
                .reset
            }
        recorder.record(
            RecordedCall(
                trace: trace, service: service, operation: operation, resource: resource,
                startedAt: startedAt, startNanoseconds: start,
                endNanoseconds: MonotonicClock.nanoseconds, ending: ending,
                faults: faults.withLock { $0 }, mail: response.flatMap(mail), marks: marks))
    }

    /// The `MessageId` in SES's answer, which is JSON in version 2 and XML in version 1.
    private func mail(_ response: ServerResponse) -> String? {
        guard service == .ses, response.status == 200 else { return nil }
        if let id = (try? JSON.parse(response.body, limits: .event))?["MessageId"]?.stringValue {
            return id
        }
        let text = String(decoding: response.body.prefix(Self.detailBytesMax), as: UTF8.self)
        let parts = text.split(separator: "MessageId>", maxSplits: 2)
        return parts.count == 3 ? parts[1].split(separator: "<").first.map(String.init) : nil
    }

    /// Identity providers report errors in a redirect (RFC 6749 section 4.1.2.1).
    private static func detail(of response: ServerResponse) -> [UInt8] {
        switch response.status {
        case 300..<400:
            let query = response.header("location")?.split(separator: "?").dropFirst().first
            let error = query?.split(separator: "&").first { $0.hasPrefix("error=") }
            return Array((error ?? "").utf8.prefix(detailBytesMax))
        case 400...:
            // A gateway that refuses a JWT gives the reason in this header, and none in the body.
            if let challenge = response.header("www-authenticate"),
                challenge.hasPrefix(#"Bearer scope="" error="#)
            {
                return Array(challenge.utf8.prefix(detailBytesMax))
            }
            return Array(response.body.prefix(detailBytesMax))
        default: return []
        }
    }
}

extension InvocationObservers {
    /// Records the invocations.
    init(
        _ recorder: TraceRecorder,
        returned: (@Sendable (String, String, [UInt8], InvocationResult) -> Void)?
    ) {
        self.init(
            returned: returned, recorded: { recorder.record(RecordedCall($0)) },
            refused: { recorder.record(RecordedCall($0)) })
    }
}

extension RecordedCall {
    fileprivate init(_ record: InvocationRecord) {
        let ending: Ending =
            switch record.status {
            case .answered: .returned
            case .failed: .failed(record.answer)
            case .timedOut: .timedOut
            case .throttled: .notRun(reason: "throttled")
            }
        self.init(
            trace: TraceID(ofInvocation: record.traceID), service: .function,
            resource: record.function, startedAt: record.startedAt,
            startNanoseconds: record.startNanoseconds,
            endNanoseconds: record.startNanoseconds
                + UInt64(max(0, record.durationMicroseconds)) * 1000,
            ending: ending, requestID: record.requestID, initMicroseconds: record.initMicroseconds,
            isScheduled: record.isScheduled)
    }

    fileprivate init(_ refused: RefusedInvocation) {
        let now = MonotonicClock.nanoseconds
        self.init(
            trace: TraceID(ofInvocation: refused.traceID), service: .function,
            resource: refused.function, startedAt: refused.at, startNanoseconds: now,
            endNanoseconds: now, ending: .notRun(reason: refused.reason),
            requestID: refused.requestID)
    }
}

/// A fault may answer instead of the function. Then there is no record of the invocation.
final class FaultedInvocation: Sendable {
    private let function: String
    private let trace: TraceID
    private let recorder: TraceRecorder
    private let startedAt = WallClock.system.now()
    private let start = MonotonicClock.nanoseconds
    private let faults = Mutex<[Int]>([])

    init(_ function: String, _ request: InvocationRequest, _ recorder: TraceRecorder) {
        self.function = function
        self.recorder = recorder
        trace = TraceID(ofInvocation: request.traceID ?? "")
    }

    func note(faults ids: [Int]) { faults.withLock { $0 += ids } }

    func record(_ error: FaultError, requestID: String) {
        recorder.record(
            RecordedCall(
                trace: trace, service: .function, resource: function,
                startedAt: startedAt, startNanoseconds: start,
                endNanoseconds: MonotonicClock.nanoseconds,
                ending: .notRun(reason: "\(error.name): \(error.message)"),
                faults: faults.withLock { $0 }, requestID: requestID))
    }
}

extension TraceID {
    /// A caller of the Lambda API can send any header; an invalid one gets its own trace.
    fileprivate init(ofInvocation header: String) {
        self =
            TraceID(amazonHeader: header)
            ?? TraceID(
                at: WallClock.system.now().seconds, random: RandomSource.system.bytes(12))
    }
}

extension TraceMarks {
    /// The marks of the client's tokens, codes and nonces, wherever they occur.
    fileprivate init(_ request: ServerRequest) {
        self.init()
        if let query = request.query { add(form: Array(query.utf8)[...]) }
        add(body: request.body)
        if let authorization = request.header("authorization"),
            let space = authorization.utf8.firstIndex(of: UInt8(ascii: " "))
        {
            add(Array(authorization.utf8[authorization.utf8.index(after: space)...])[...])
        }
    }

    /// Adds the marks of the response.
    fileprivate mutating func add(_ response: ServerResponse) {
        add(body: response.body)
        guard let location = response.header("location") else { return }
        for part in location.utf8.split(whereSeparator: { "?#".utf8.contains($0) }).dropFirst() {
            add(form: Array(part)[...])
        }
    }
}
