package import AuthDomain
package import Time

/// An HTTP server that receives events of the audit log.
package struct WebhookReceiver: Equatable, Sendable {
    /// The ID of the receiver in the store, so that the order of the setting does not matter.
    package let id: String
    package let url: String
    /// The subscribed events; nil for all events.
    private let events: [AuditEvent]?

    package init(id: String, url: String, events: [AuditEvent]?) {
        self.id = id
        self.url = url
        self.events = events
    }

    func isSubscribed(to event: String) -> Bool {
        guard let events else { return true }
        return events.contains { $0.rawValue == event }
    }
}

/// Sends the events of the audit log to other servers, in the form of Standard Webhooks 1.0.
///
/// As for mail, the transaction of a change also writes the row for sending its event, so no event
/// is lost.
package struct WebhookServices: Sendable {
    /// Sends a message within the given time.
    package typealias Send =
        @Sendable (WebhookReceiver, WebhookMessage, Span) throws(WebhookFailure) -> Void
    package typealias Report = @Sendable (WebhookOutcome) -> Void

    let receivers: [WebhookReceiver]
    /// Secrets that sign messages, the current one first. Empty in a function that only queues
    /// events.
    let secrets: [WebhookSecret]
    /// Whether the function that causes an event makes the first attempt, after its reply.
    let sendsAfterReply: Bool
    let send: Send
    let report: Report

    package init(
        receivers: [WebhookReceiver], secrets: [WebhookSecret], sendsAfterReply: Bool = true,
        send: @escaping Send, report: @escaping Report = { _ in }
    ) {
        self.receivers = receivers
        self.secrets = secrets
        self.sendsAfterReply = sendsAfterReply && !secrets.isEmpty
        self.send = send
        self.report = report
    }

    var canSend: Bool { !secrets.isEmpty }

    func receiver(_ id: String) -> WebhookReceiver? { receivers.first { $0.id == id } }
}

package enum WebhookFailure: Error, Equatable, Sendable {
    /// There was no answer in time. `problem` is the reason of the transport.
    case unavailable(problem: String)
    /// The status of the answer was not 2xx.
    case refused(status: Int)
}

/// The outcome of an event, for the log.
package enum WebhookOutcome: Equatable, Sendable {
    case sent(WebhookReceiver, event: String)
    /// The attempt failed, and is repeated later.
    case failed(WebhookReceiver, event: String, WebhookFailure)
    /// The event was tried for `WebhookSchedule.lifetime`; an administrator can have it sent again.
    case dead(WebhookReceiver, event: String)
    /// The audit log does not have the event any more.
    case eventMissing(WebhookReceiver)
}

enum WebhookSchedule {
    /// How long an event is tried.
    static let lifetime = Span.days(3)
    /// How long one attempt may take.
    static let attemptMax = Span.seconds(10)
    /// How long a run has exclusive use of a queue.
    static let lease = Span.seconds(60)

    /// Standard Webhooks recommends these pauses.
    static func pause(afterFailures failures: Int64) -> Span {
        switch failures {
        case ...1: .seconds(5)
        case 2: .minutes(5)
        case 3: .minutes(30)
        case 4: .hours(2)
        case 5: .hours(5)
        case 6: .hours(10)
        case 7: .hours(14)
        default: .hours(20)
        }
    }
}
