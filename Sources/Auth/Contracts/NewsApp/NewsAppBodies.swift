internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// Request and response bodies of the contract `news_app`.
enum NewsAppBodies {
    /// The body's `email` is accepted but ignored: the address comes from the verified token.
    static func appleSignIn(_ fields: Fields) throws(RequestError) -> SignIn.Input {
        var input = SignIn.Input(provider: "apple", idToken: try fields.required("id_token"))
        input.fullName = try fields.text("full_name").map(PersonName.init(whole:))
        return input
    }

    /// `TokenResponse`, for sign-in and refresh.
    static func session(_ tokens: SessionTokens) -> JSON {
        [
            "access_token": .string(tokens.access.reveal()),
            "refresh_token": .string(tokens.refresh.reveal()),
            "user": user(tokens.user),
        ]
    }

    /// `UserResponse`. The app's `email` is not optional, but Apple may return no address. Then it
    /// is the empty text, because an invented address could belong to someone.
    static func user(_ user: User) -> JSON { .object(row(user)) }

    private static func row(_ user: User) -> JSONObject {
        [
            "id": user.publicID.map { .number(JSONNumber($0)) } ?? .null,
            "apple_id": .string(user.subject(at: "apple") ?? ""),
            "email": .string(user.email ?? ""),
            "full_name": user.displayName.map { .string($0) } ?? .null,
            "is_admin": .bool(user.isAdmin),
            "created_at": .string(user.createdAt.iso8601Seconds),
        ]
    }

    /// A row of the table `users`, as administrators see it.
    @Sendable static func administered(_ account: User) -> JSON {
        var body = row(account)
        body["is_active"] = .bool(!account.isDisabled)
        body["updated_at"] = .string(account.updatedAt.iso8601Seconds)
        return .object(body)
    }
}
