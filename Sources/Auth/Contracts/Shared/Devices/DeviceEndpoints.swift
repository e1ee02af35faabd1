internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// The devices on which a user has signed in.
enum DeviceEndpoints {
    static let all: [Endpoint] = [
        .signedIn(.listDevices, .get("/auth/devices")) { _, principal, auth in
            Answer(["devices": .array(try auth.listDevices(principal).map(entry))])
        },
        Endpoint(
            .trustDevice, .post("/auth/devices/{id}/trust"), needs: [.sessions, .notices],
            selectedBy: DirectSelector("action", is: "trust")
        ) { call, auth in
            let output = try auth.trustDevice(
                call.parameter("id"), code: try call.body.required("code"), call.caller)
            return Answer([
                "deviceToken": .string(output.token.reveal()),
                "expiresIn": .number(JSONNumber(output.lifetime.seconds)),
            ])
        },
        .signedIn(
            .revokeDevice, .delete("/auth/devices/{id}"),
            selectedBy: DirectSelector("action", is: "revoke")
        ) { call, principal, auth in
            try auth.revokeDevice(call.parameter("id"), principal, call.caller)
            return .noContent
        },
    ]

    private static func entry(_ entry: ListDevices.Entry) -> JSON {
        let device = entry.device
        var body: JSONObject = [
            "id": .string(device.id.text),
            "current": .bool(entry.isCurrent),
        ]
        body["name"] = device.name.map { .string($0) }
        body["os"] = device.system.map { .string($0) }
        body["userAgent"] = device.userAgent.map { .string($0) }
        body["ipAddress"] = device.address.map { .string($0) }
        body["sessions"] = .number(JSONNumber(Int64(entry.sessions)))
        body["firstSeenAt"] = .string(device.firstSeenAt.iso8601Milliseconds)
        body["lastUsedAt"] = .string(entry.lastUsedAt.iso8601Milliseconds)
        body["trustedUntil"] = entry.trustEndsAt.map { .string($0.iso8601Milliseconds) }
        return .object(body)
    }
}
