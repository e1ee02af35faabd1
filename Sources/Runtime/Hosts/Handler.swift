package import JSON
package import Time

/// The work of a function, as a value: `FunctionMain` carries bytes to it and back.
package struct Handler: Sendable {
    package enum Kind: Sendable {
        /// Answers a request. It never fails: a refusal is a reply.
        case request(@Sendable (Request) -> Reply)
        /// Gets the event as received and answers with bare JSON, as an authorizer does.
        case event(@Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON)
    }

    /// Does work that was deferred until after the reply. The host calls it when the reply is sent,
    /// with the time at which the platform ends the invocation, if it does.
    package typealias AfterReply = @Sendable (_ deadline: Instant?) -> Void

    package let kind: Kind
    /// Answers API Gateway's authorizer events, in addition to requests.
    package var authorize: (@Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON)?
    package let afterReply: AfterReply
    /// Whether requests can be answered: the services that all of them need are available.
    package let isReady: @Sendable () -> Bool
    /// Whether the function answers schedule events: a server then sends them itself, for
    /// housekeeping.
    let answersSchedule: Bool
    /// The metrics of a function that serves HTTP itself.
    let metrics: [any Instrument]
    /// The requests that take long, and wait for their turn before a thread begins them.
    let slow: SlowTurns?
    /// Makes a handler of the same services for another thread. Each handler then answers one
    /// request at a time. nil if the threads may share this handler.
    let another: (@Sendable (ThreadRole) -> Handler)?

    package static func request(
        afterReply: @escaping AfterReply = { _ in },
        isReady: @escaping @Sendable () -> Bool = { true }, answersSchedule: Bool = false,
        slow: SlowTurns? = nil, another: (@Sendable (ThreadRole) -> Handler)? = nil,
        metrics: [any Instrument] = [], _ answer: @escaping @Sendable (Request) -> Reply
    ) -> Handler {
        Handler(
            kind: .request(answer), afterReply: afterReply, isReady: isReady,
            answersSchedule: answersSchedule, metrics: metrics, slow: slow, another: another)
    }

    /// Answers one event in this process, for commands.
    package func answer(_ event: [UInt8]) throws(FunctionError) -> [UInt8] {
        try Invoker(handler: self, decoder: EventDecoder(), log: Log(level: .off) { _ in })
            .answer(event, in: InvocationContext(requestID: "command"))
    }

    package static func event(
        _ answer:
            @escaping @Sendable (JSON, InvocationContext) throws(FunctionError) -> JSON
    ) -> Handler {
        Handler(
            kind: .event(answer), afterReply: { _ in }, isReady: { true },
            answersSchedule: false, metrics: [], slow: nil, another: nil)
    }
}

/// Which requests take long, and from which clients they come.
package struct SlowTurns: Sendable {
    /// How many slow requests are answered at once.
    let atOnceMax: @Sendable () -> Int
    /// Whether a request is slow, by its method and path. If so, `client` is called.
    let includes: @Sendable (Request) -> Bool
    /// The client. Requests of different clients do not share a turn.
    let client: @Sendable (Request) -> String

    package init(
        atOnceMax: @escaping @Sendable () -> Int,
        includes: @escaping @Sendable (Request) -> Bool,
        client: @escaping @Sendable (Request) -> String
    ) {
        self.atOnceMax = atOnceMax
        self.includes = includes
        self.client = client
    }
}

/// The kinds of threads in a server. Each thread has its own handler.
package enum ThreadRole: Sendable {
    case worker
    /// The thread for the housekeeping, which answers no requests.
    case schedule
}

/// The context that a host provides with an event.
package struct InvocationContext: Sendable, Equatable {
    package let requestID: String
    package let deadline: Instant?

    package init(requestID: String, deadline: Instant? = nil) {
        self.requestID = requestID
        self.deadline = deadline
    }
}

/// A failed invocation, as reported to Lambda. The invoker sees the exact message: REST API
/// responds with 401 if an authorizer fails with exactly `Unauthorized`.
package struct FunctionError: Error, Sendable, Equatable {
    package let type: String
    package let message: String

    package init(type: String, message: String) {
        self.type = type
        self.message = message
    }
}

/// Why a function cannot start: all problems at once. Each contains the variable's name and the
/// rule. It never contains the value, unless that is an address.
package struct StartFailure: Error, Sendable, Equatable {
    package var problems: [String]

    package init(problems: [String]) { self.problems = problems }
}
