import AuthTestSupport

/// The server of an app that receives the audit log's events: it refuses some, and acknowledges
/// others late.
final class EventReceiver: @unchecked Sendable {
    /// A planted bug in the functions that send events.
    enum Flaw: Sendable { case forgetsRefused, reorders, signsWithAnotherKey, inventsEvents }

    private let context: SimulationContext
    private let running: RunningFunctions
    private let flaw: Flaw?
    /// The IDs of the events, in the order of first arrival.
    private(set) var received: [String] = []
    /// The received events about accounts, whose retention is longer than any run.
    private(set) var ofAccounts: Set<String> = []
    private var known: Set<String> = []
    /// An event that is delayed until the next one has arrived.
    private var delayed: String?

    init(_ context: SimulationContext, _ running: RunningFunctions, flaw: Flaw?) {
        self.context = context
        self.running = running
        self.flaw = flaw
    }

    var services: WebhookServices {
        let otherKey = [UInt8](repeating: 6, count: 24)
        let secret =
            flaw == .signsWithAnotherKey
            ? WebhookSecret(keyed: otherKey) : FakeWebhookReceiver.secret
        return WebhookServices(receivers: [.all], secrets: [secret]) {
            _, message, _ throws(WebhookFailure) in
            try self.receive(message)
        }
    }

    private func receive(_ message: WebhookMessage) throws(WebhookFailure) {
        if context.happens(.receiverLate) { running.waitForStore() }
        if context.happens(.receiverRefuses) {
            if flaw == .forgetsRefused { return }
            throw .refused(status: 503)
        }
        if !isSigned(message) {
            context.violate(.eventsArrive, "an event has no signature of the key")
        }
        let body = try? JSON.parse(message.body, limits: .request)
        if body?["data"]?["user"] != nil { ofAccounts.insert(message.id) }
        if flaw == .reorders, delayed == nil, received.count % 8 == 3 {
            delayed = message.id
            return
        }
        if flaw == .inventsEvents, received.count % 16 == 9 { ofAccounts.insert("invented") }
        add(message.id)
        if let late = delayed {
            add(late)
            delayed = nil
        }
    }

    private func add(_ id: String) { if known.insert(id).inserted { received.append(id) } }

    /// Verifies the signature as defined in Standard Webhooks 1.0.
    private func isSigned(_ message: WebhookMessage) -> Bool {
        let signed = Array("\(message.id).\(message.timestamp).".utf8) + message.body
        let code = HMAC.sha256(signed, key: SecretBytes(FakeWebhookReceiver.key))
        return message.signature == "v1,\(Base64.encode(code))"
    }
}
