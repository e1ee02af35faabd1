internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

enum ShellBodies {
    static func registration(_ fields: Fields) throws -> Register.Input {
        Register.Input(
            email: try fields.email(), password: try fields.confirmedPassword("password"))
    }

    static func signIn(_ fields: Fields) throws(RequestError) -> SignIn.Input {
        var input = SignIn.Input(
            provider: try fields.required("provider"), idToken: try fields.required("idToken"),
            nonce: try fields.optional("nonce"))
        input.device = try fields.device()
        return input
    }

    static func registered(_ user: User) -> JSON {
        [
            "userID": .string(user.id.text),
            "email": user.email.map { .string($0) } ?? .null,
            "message": "Registration successful",
        ]
    }

    @Sendable static func loggedIn(_ tokens: SessionTokens) -> JSONObject {
        var body = members(tokens)
        body["userID"] = .string(tokens.user.id.text)
        body["deviceToken"] = tokens.deviceToken.map { .string($0.reveal()) }
        return body
    }

    static func signedIn(_ tokens: SessionTokens, _ output: SignIn.Output) -> JSONObject {
        var body = loggedIn(tokens)
        body["email"] = output.user.email.map { .string($0) } ?? .null
        if output.isEmailTaken { body["emailTaken"] = true }
        return body
    }

    /// A row of the seed's table `auth_logs`.
    @Sendable static func auditEvent(_ entry: AuditEntry) -> JSON {
        [
            "logID": .string(entry.id.text),
            "userID": entry.user.map { .string($0.text) } ?? .null,
            "eventType": .string(eventType(entry)),
            "ipAddress": entry.address.map { .string($0) } ?? .null,
            "userAgent": entry.userAgent.map { .string($0) } ?? .null,
            "success": .bool(entry.succeeded),
            "errorMessage": entry.succeeded
                ? .null : .string(entry.detail ?? eventType(entry)),
            "createdAt": .string(entry.at.iso8601Milliseconds),
        ]
    }

    /// The seed has four types (SH60). Other events keep their standard names.
    private static func eventType(_ entry: AuditEntry) -> String {
        switch AuditEvent(rawValue: entry.event) {
        case .signedIn: "login"
        case .signedOut, .signedOutOthers, .signedOutEverywhere: "logout"
        case .refreshed: "refresh"
        case .signInFailed: "failed_login"
        default: snakeCased(entry.event)
        }
    }

    private static func snakeCased(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            text += character.isUppercase ? "_\(character.lowercased())" : "\(character)"
        }
    }

    static func session(_ tokens: SessionTokens) -> JSON { .object(members(tokens)) }

    private static func members(_ tokens: SessionTokens) -> JSONObject {
        [
            "accessToken": .string(tokens.access.reveal()),
            "refreshToken": .string(tokens.refresh.reveal()),
            "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
            "tokenType": "Bearer",
        ]
    }
}
