import AuthOperations
import AuthTestSupport
import HTTP
import JSON
import Synchronization
import TestSupport

/// A receiver of webhooks, which keeps the events whose signature is right.
final class EventReceiver: Sendable {
    static let path = "/events"

    private struct State: Sendable {
        var events: [(id: String, user: String, type: String)] = []
        var isDown = false
    }

    private let state = Mutex(State())

    static func settings(at url: String) -> [(String, String)] {
        [
            ("WEBHOOKS", "*=\(url)\(path)"),
            ("WEBHOOK_SECRET", WebhookSecret.text(of: FakeWebhookReceiver.key)),
        ]
    }

    /// Whether it refuses everything.
    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    func answer(_ request: HTTPRequestSeen) -> HTTPResponse {
        let id = request.header("webhook-id") ?? ""
        let seconds = request.header("webhook-timestamp").flatMap { Int64($0) } ?? 0
        let signature = FakeWebhookReceiver.secret.signature(
            of: request.body, id: id, seconds: seconds)
        guard request.header("webhook-signature") == signature,
            let event = try? JSON.parse(request.body, limits: .request),
            let type = event["type"]?.stringValue
        else { return HTTPResponse(status: 400) }
        return state.withLock { state in
            guard !state.isDown else { return HTTPResponse(status: 503) }
            state.events.append((id, event["data"]?["user"]?.stringValue ?? "", type))
            return HTTPResponse(status: 204)
        }
    }

    /// The types of the events of a user, each event at its first arrival.
    func types(of user: String) -> [String] {
        var known: Set<String> = []
        return state.withLock(\.events).filter { $0.user == user && known.insert($0.id).inserted }
            .map(\.type)
    }
}
