package import AuthDomain
package import AuthOperations
internal import Bytes
internal import JSON
internal import Synchronization
internal import Time

/// Servers that keep the events they are sent, or fail on request.
package final class FakeWebhookReceiver: Sendable {
    package struct Received: Equatable, Sendable {
        package let url: String
        package let message: WebhookMessage

        package var type: String { member("type") }
        package var user: String { member("user", in: "data") }

        private func member(_ name: String, in parent: String? = nil) -> String {
            let json = try? JSON.parse(message.body, limits: .request)
            return (parent.map { json?[$0] } ?? json)?[name]?.stringValue ?? ""
        }
    }

    private struct State: Sendable {
        var received: [Received] = []
        var outcomes: [WebhookOutcome] = []
        var failure: WebhookFailure?
        var whileSending: @Sendable () -> Void = {}
    }

    package static let key = [UInt8](repeating: 5, count: 24)
    package static let secret = WebhookSecret(keyed: key)

    private let state = Mutex(State())

    package init() {}

    package var received: [Received] { state.withLock { $0.received } }
    package var types: [String] { received.map(\.type) }
    package var outcomes: [WebhookOutcome] { state.withLock { $0.outcomes } }

    /// Pass nil to make it work again.
    package func fail(_ failure: WebhookFailure?) { state.withLock { $0.failure = failure } }

    package func whileSending(_ other: @escaping @Sendable () -> Void) {
        state.withLock { $0.whileSending = other }
    }

    package func forget() { state.withLock { $0.received = [] } }

    /// - Parameter secrets: none for a process that only writes down what is to be sent.
    package func services(
        _ receivers: [WebhookReceiver] = [.all], secrets: [WebhookSecret] = [secret]
    ) -> WebhookServices {
        WebhookServices(receivers: receivers, secrets: secrets) {
            receiver, message, _ throws(WebhookFailure) in
            self.state.withLock { $0.whileSending }()
            let failure = self.state.withLock { state in
                if state.failure == nil {
                    state.received.append(Received(url: receiver.url, message: message))
                }
                return state.failure
            }
            if let failure { throw failure }
        } report: { outcome in
            self.state.withLock { $0.outcomes.append(outcome) }
        }
    }
}

extension WebhookSecret {
    package init(keyed key: [UInt8]) {
        guard let secret = Self(SecretBytes(Array(Self.text(of: key).utf8))) else {
            preconditionFailure("not a key of 24 to 64 bytes")
        }
        self = secret
    }

    /// As it is set.
    package static func text(of key: [UInt8]) -> String { "whsec_\(Base64.encode(key))" }
}

extension WebhookReceiver {
    package static let all = WebhookReceiver(
        id: "all", url: "https://log.example.com/events", events: nil)

    package static func only(_ events: AuditEvent...) -> WebhookReceiver {
        WebhookReceiver(id: "some", url: "https://app.example.com/events", events: events)
    }
}
