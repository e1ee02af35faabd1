internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JSON
internal import Time

/// The events that no receiver accepted in time, for administrators.
struct WebhookEndpoints {
    let users: UserEndpoints

    var all: [Endpoint] {
        [
            .guarded(
                by: users.administrator(for: .listDeadWebhooks), .listDeadWebhooks,
                .get("/auth/webhooks/dead"), selectedBy: DirectSelector("list", is: "dead")
            ) { call, _, auth in
                let page = try auth.listDeadWebhooks(
                    limit: try call.pageLimit(
                        ListDeadWebhooks.pageStandard, max: ListDeadWebhooks.pageMax),
                    after: call.query("after"))
                return Answer(Self.body(page))
            },
            .guarded(
                by: users.administrator(for: .resendWebhook, .support), .resendWebhook,
                .post("/auth/webhooks/dead/{id}/resend"), selectedBy: DirectSelector("id")
            ) { call, administrator, auth in
                guard
                    try auth.resendWebhook(call.parameter("id"), by: administrator, call.caller)
                else { throw RequestError.notFound }
                return Answer(202, ["success": true])
            },
        ]
    }

    private static func body(_ page: DeadWebhookPage) -> JSON {
        var body: JSONObject = ["webhooks": .array(page.webhooks.map(webhook))]
        body["next"] = page.next.map { .string($0) }
        return .object(body)
    }

    private static func webhook(_ webhook: ListedWebhook) -> JSON {
        var body: JSONObject = [
            "id": .string(webhook.id), "diedAt": .string(webhook.diedAt.iso8601Milliseconds),
        ]
        body["url"] = webhook.url.map { .string($0) }
        body["user"] = (webhook.event?.user).map { .string($0.text) }
        body["event"] = webhook.event.map(LatchkeyBodies.auditEvent)
        return .object(body)
    }
}
