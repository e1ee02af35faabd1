internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

enum ShellBodies {
    static func registration(_ fields: Fields) throws -> Register.Input {
        Register.Input(
            email: try email(fields), password: try confirmed("password", fields))
    }

    static func registered(_ user: User) -> JSON {
        [
            "userID": .string(user.id.text),
            "email": user.email.map { .string($0) } ?? .null,
            "message": "Registration successful",
        ]
    }

    @Sendable static func loggedIn(_ tokens: SessionTokens) -> JSON {
        guard var body = session(tokens).objectValue else { return [:] }
        body["userID"] = .string(tokens.user.id.text)
        body["deviceToken"] = tokens.deviceToken.map { .string($0.reveal()) }
        return .object(body)
    }

    static func session(_ tokens: SessionTokens) -> JSON {
        [
            "accessToken": .string(tokens.access.reveal()),
            "refreshToken": .string(tokens.refresh.reveal()),
            "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
            "tokenType": "Bearer",
        ]
    }
}
