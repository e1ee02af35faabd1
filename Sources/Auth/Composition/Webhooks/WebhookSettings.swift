internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Cryptography
internal import FunctionRuntime
internal import IdentityProviders

/// `WEBHOOKS`, `WEBHOOK_SECRET` and `WEBHOOK_DELIVERY`: which events are sent to which servers.
///
///     WEBHOOKS=*=https://app.example.com/events
///     WEBHOOKS=accountCreated|accountDeleted=https://app.example.com/users,*=https://b.example
struct WebhookSettings: ServicePart {
    static let receiversMax = 5

    let receivers: [WebhookReceiver]
    let secrets: [WebhookSecret]
    let delivery: MailServices.Delivery

    /// nil if there are none.
    static func read(
        _ reader: inout SettingsReader, _ contract: Contract, _ needs: ServiceNeeds
    ) -> WebhookSettings? {
        // Without the job that sends the events, they would accumulate.
        guard contract.endpoints.contains(where: { $0.needs.contains(.webhooks) }),
            reader.text("WEBHOOKS") != nil
        else { return nil }
        let receivers = receivers(&reader)
        let secrets = secrets(&reader)
        if secrets.isEmpty, needs.contains(.webhooks) {
            reader.refuse("WEBHOOK_SECRET is required to send WEBHOOKS")
        }
        return WebhookSettings(
            receivers: receivers, secrets: secrets,
            delivery: reader.choice("WEBHOOK_DELIVERY", MailServices.Delivery.self) ?? .afterReply)
    }

    func install(in services: inout OptionalServices, _ context: ServiceContext) {
        let sender = WebhookSender(transport: context.requests.transport(for: .webhooks))
        services.webhooks = WebhookServices(
            receivers: receivers, secrets: secrets,
            sendsAfterReply: delivery == .afterReply, send: sender.send,
            report: context.reports.webhooks)
    }

    private static func receivers(_ reader: inout SettingsReader) -> [WebhookReceiver] {
        var receivers: [WebhookReceiver] = []
        for entry in reader.list("WEBHOOKS") {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, let unknown = unknownEvent(parts[0]) {
                let names = AuditEvent.allCases.map(\.rawValue)
                reader.refuse("WEBHOOKS: " + NearestName.refusal(unknown, among: names))
                return []
            }
            guard parts.count == 2, let events = events(parts[0]),
                let url = ProviderURL(parts[1], allowsPlainHTTP: false)
            else {
                reader.refuse(
                    "WEBHOOKS: each entry is EVENTS=URL: * or names of audit events with | between "
                        + "them, and an https URL (http only for this machine)")
                return []
            }
            let id = Base64URL.encode(Array(SHA256.hash(Array(url.text.utf8)).prefix(12)))
            if receivers.contains(where: { $0.id == id }) {
                reader.refuse("WEBHOOKS: each URL may be named once")
            }
            receivers.append(
                WebhookReceiver(id: id, url: url.text, events: events.isEmpty ? nil : events))
        }
        if receivers.count > receiversMax {
            reader.refuse("WEBHOOKS: at most \(receiversMax) URLs")
        }
        return receivers
    }

    /// The events in a setting; empty for all events, nil if one is unknown.
    private static func events(_ text: String) -> [AuditEvent]? {
        if text == "*" { return [] }
        var events: [AuditEvent] = []
        for name in text.split(separator: "|", omittingEmptySubsequences: false) {
            guard let event = AuditEvent(rawValue: String(name)) else { return nil }
            events.append(event)
        }
        return events
    }

    /// The first name that is not an event. Only a plain word is shown: an entry in another form
    /// may hold a secret.
    private static func unknownEvent(_ text: String) -> String? {
        text.split(separator: "|").map(String.init).first { name in
            name.utf8.allSatisfy(\.isLetter) && AuditEvent(rawValue: name) == nil
        }
    }

    private static func secrets(_ reader: inout SettingsReader) -> [WebhookSecret] {
        var secrets: [WebhookSecret] = []
        for text in reader.secrets("WEBHOOK_SECRET") {
            guard let secret = WebhookSecret(text) else {
                reader.refuse("WEBHOOK_SECRET must be \(WebhookSecret.form)")
                return []
            }
            secrets.append(secret)
        }
        return secrets
    }
}
