internal import AuthDomain
internal import JSON
internal import Time

/// An event as it is sent: the body, and the headers that sign it (Standard Webhooks 1.0).
package struct WebhookMessage: Equatable, Sendable {
    /// The ID of the event, by which a receiver recognises a repetition.
    package let id: String
    package let timestamp: Int64
    /// The signatures, one for each secret, separated by spaces.
    package let signature: String
    package let body: [UInt8]

    init(_ entry: AuditEntry, secrets: [WebhookSecret], at now: Instant) {
        id = entry.id.text
        timestamp = now.seconds
        body = Self.body(entry).serialized
        signature = secrets.map { [id, timestamp, body] secret in
            secret.signature(of: body, id: id, seconds: timestamp)
        }.joined(separator: " ")
    }

    /// The body has the same names as `GET /auth/audit`.
    private static func body(_ entry: AuditEntry) -> JSONObject {
        var data: JSONObject = ["id": .string(entry.id.text), "success": .bool(entry.succeeded)]
        data["user"] = entry.user.map { .string($0.text) }
        data["session"] = entry.session.map { .string($0.text) }
        data["ipAddress"] = entry.address.map { .string($0) }
        data["userAgent"] = entry.userAgent.map { .string($0) }
        data["detail"] = entry.detail.map { .string($0) }
        data["by"] = entry.maker.map { .string($0) }
        return [
            "type": .string(entry.event), "timestamp": .string(entry.at.iso8601Milliseconds),
            "data": .object(data),
        ]
    }
}
