internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

// These endpoints are for direct invocation, which IAM authorizes. The answers are the same in
// every contract, and contain no part of a token.
extension Endpoint {
    /// `{"action": "sessions"}`, with `"limit"`, and with `"after"` for further pages.
    static let inspectSessions = Endpoint(
        .inspectSessions, nil, selectedBy: DirectSelector("action", is: "sessions")
    ) { call, auth in
        let limit = try call.body.integer("limit") ?? InspectSessions.pageStandard
        guard (1...InspectSessions.pageMax).contains(limit) else {
            throw RequestError.invalidField("limit", .outOfRange(1...InspectSessions.pageMax))
        }
        let page = try auth.inspectSessions.page(
            limit: limit, after: try call.body.optional("after"))
        var body: JSONObject = ["sessions": .array(page.sessions.map(SessionInspection.json))]
        if page.unreadable > 0 { body["unreadable"] = .number(page.unreadable) }
        body["next"] = page.next.map { .string($0) }
        return Answer(.object(body))
    }

    /// `{"action": "session"}` with the `"refreshToken"`, or with `"user"` and `"family"` as in an
    /// access token's `sub` and `sid`.
    static let inspectSession = Endpoint(
        .inspectSession, nil, needs: [.sessions],
        selectedBy: DirectSelector("action", is: "session")
    ) { call, auth in
        if let presented = try call.body.optional("refreshToken") {
            let token = try auth.inspectSessions.token(presented)
            return Answer(token.map(SessionInspection.json) ?? ["isGenuine": false])
        }
        let (user, family) = (try call.body.required("user"), try call.body.required("family"))
        guard let user = UserID(parsing: user), let family = SessionID(parsing: family) else {
            return Answer(["session": .null])
        }
        let session = try auth.inspectSessions.session(family, of: user)
        return Answer(["session": session.map(SessionInspection.json) ?? .null])
    }
}

private enum SessionInspection {
    static func json(_ inspected: InspectedSession) -> JSON {
        let session = inspected.session
        var body: JSONObject = [
            "user": .string(session.user.text), "family": .string(session.id.text),
            "state": .string(state(inspected.end)), "provider": .string(session.origin.provider),
        ]
        body["device"] = session.origin.deviceName.map { .string($0) }
        body["generation"] = .number(session.generation)
        body["createdAt"] = .string(session.createdAt.iso8601Milliseconds)
        body["lastUsedAt"] = .string(session.lastUsedAt.iso8601Milliseconds)
        body["expiresAt"] = .string(session.expiresAt.iso8601Milliseconds)
        body["graceLeftMilliseconds"] = inspected.graceLeft.map { .number($0.milliseconds) }
        body["isBoundToKey"] = .bool(session.clientKey != nil)
        return .object(body)
    }

    static func json(_ token: InspectedToken) -> JSON {
        var body: JSONObject = [
            "isGenuine": true, "user": .string(token.place.user.text),
            "family": .string(token.place.session.text),
            "generation": .number(token.place.generation),
        ]
        body["session"] = token.session.map(json)
        body["use"] = token.use.map { .string(use($0)) }
        return .object(body)
    }

    private static func state(_ end: SessionEnd?) -> String {
        guard let end else { return "active" }
        return switch end {
        case .idle, .tooOld: "expired"
        // The session's row exists, so the reason is that its passkey was removed.
        case .deleted: "passkeyRemoved"
        case .signedOutEverywhere, .accountDeleted, .accountDisabled: end.rawValue
        }
    }

    /// The effect of a refresh with the token.
    private static func use(_ use: Session.TokenUse) -> String {
        switch use {
        case .advance: "replaced"
        case .repeatSuccessor: "successorRepeated"
        case .keep: "kept"
        case .reuse: "reuse"
        case .expired: "expired"
        case .unknown: "neverIssued"
        }
    }
}
