package import Time

/// One request to a route, a function, a service or an identity provider.
package struct RecordedCall: Sendable {
    /// The position in the order in which calls and log lines ended, from 1.
    package internal(set) var number = 0
    package let trace: TraceID
    /// The same names as in faults, so that a call in a trace can be matched by a fault.
    package let service: FaultService
    package let operation: String
    /// The function, tables, bucket and key, or provider.
    package let resource: String
    package let startedAt: Instant
    /// The start, by a monotonic clock that all calls share.
    package let startNanoseconds: UInt64
    package let endNanoseconds: UInt64
    package let ending: Ending
    /// The IDs of the faults that affected it.
    package let faults: [Int]
    /// The request ID of an invocation.
    package let requestID: String?
    /// The start time of the function's process, if it was started for this call.
    package let initMicroseconds: Int?
    /// Whether a schedule invoked the function.
    package let isScheduled: Bool
    /// The message ID of the mail that it sent.
    package let mail: String?
    package let form: Form
    /// The values that it shares with requests of other programs.
    package let marks: TraceMarks

    package enum Form: Sendable {
        case request
        /// An application's OpenTelemetry span: its service is a function, because it may enclose
        /// other calls.
        case span
        /// A mail by SMTP. Its service is SES, and faults of SES also affect it.
        case smtp
    }

    package enum Ending: Sendable {
        /// `detail` is the beginning of an error response.
        case answered(status: Int, detail: [UInt8])
        /// The connection was closed.
        case reset
        case returned
        /// The error object of a function.
        case failed([UInt8])
        case timedOut
        /// The function did not run.
        case notRun(reason: String)
    }

    package init(
        trace: TraceID, service: FaultService, operation: String = "", resource: String,
        startedAt: Instant, startNanoseconds: UInt64, endNanoseconds: UInt64, ending: Ending,
        faults: [Int] = [], requestID: String? = nil, initMicroseconds: Int? = nil,
        isScheduled: Bool = false,
        mail: String? = nil, form: Form = .request, marks: TraceMarks = TraceMarks()
    ) {
        self.trace = trace
        self.service = service
        self.operation = operation
        self.resource = resource
        self.startedAt = startedAt
        self.startNanoseconds = startNanoseconds
        self.endNanoseconds = max(startNanoseconds, endNanoseconds)
        self.ending = ending
        self.faults = faults
        self.requestID = requestID
        self.initMicroseconds = initMicroseconds
        self.isScheduled = isScheduled
        self.mail = mail
        self.form = form
        self.marks = marks
    }

    /// The name of its service in answers.
    package var kind: String {
        switch form {
        case .request: service.rawValue
        case .span: "span"
        case .smtp: "smtp"
        }
    }

    var nanoseconds: UInt64 { endNanoseconds - startNanoseconds }
    package var microseconds: Int { Int(nanoseconds / 1000) }
}

/// One line of the functions' log, or of the emulator's own.
package struct RecordedLine: Sendable {
    package internal(set) var number = 0
    package let at: Instant
    package let function: String
    /// nil for lines outside an invocation.
    package let requestID: String?
    package let text: String
}

package enum RecordedEvent: Sendable {
    case call(RecordedCall)
    case line(RecordedLine)

    package var number: Int {
        switch self {
        case .call(let call): call.number
        case .line(let line): line.number
        }
    }
}
