internal import AuthOperations
internal import FunctionRuntime

extension Log {
    /// Logs only the host of the receiver, because a path can contain a secret.
    func report(_ outcome: WebhookOutcome) {
        switch outcome {
        case .sent(let receiver, let event):
            counted("webhooksSent", .webhookSent, Self.values(receiver, event))
        case .failed(let receiver, let event, let failure):
            counted(
                "webhooksFailed", .webhookFailed,
                Self.values(receiver, event) + Self.values(failure), isError: true)
        case .dead(let receiver, let event):
            counted("webhooksDead", .webhookDead, Self.values(receiver, event), isError: true)
        case .eventMissing(let receiver):
            error(.webhookEventMissing, Self.values(receiver, nil))
        }
    }

    private static func values(_ failure: WebhookFailure) -> [(StaticString, LogValue)] {
        switch failure {
        case .unavailable(let problem):
            [("reason", .word("unavailable")), ("problem", .identifier(problem))]
        case .refused(let status): [("reason", .word("refused")), ("status", .count(status))]
        }
    }

    private static func values(
        _ receiver: WebhookReceiver, _ event: String?
    ) -> [(StaticString, LogValue)] {
        [("host", .failureDetail(OutgoingRequests.host(receiver.url)))]
            + (event.map { [("type", .identifier($0))] } ?? [])
    }
}
