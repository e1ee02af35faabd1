import AuthDomain
import AuthOperations
import AuthTestSupport
import Time

extension CostMeasurement {
    func measureWebhooks() throws {
        let receiver = FakeWebhookReceiver()
        let kit = try AuthKit(
            policy: .testing.with { $0.guests = GuestPolicy() }, clock: clock, store: store,
            webhooks: receiver.services([.only(.accountCreated)]))
        try measure(.createGuest, "an event for a webhook") {
            _ = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        }
        // The queue, the claim, the event, its row, the queue again, the end of the claim.
        try measure(.createGuest, "after the reply: the event is sent", tripsMax: 6) {
            kit.finishReply()
        }
        receiver.fail(.unavailable)
        _ = try kit.auth.createGuest(DeviceClaim(), Self.caller)
        kit.finishReply()
        clock.advance(by: .days(3))
        _ = try kit.auth.housekeeping([.sendDueWebhooks], until: nil)
        var id = ""
        try measure(.listDeadWebhooks, "a page of one") {
            id = try kit.auth.listDeadWebhooks(limit: 50, after: nil).webhooks.first?.id ?? ""
        }
        try measure(.resendWebhook, "a dead event") {
            _ = try kit.auth.resendWebhook(id, by: .password, Self.caller)
        }
    }
}
