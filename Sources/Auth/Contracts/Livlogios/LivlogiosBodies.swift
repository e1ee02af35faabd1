internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// Request and response bodies of the contract `livlogios`. Missing values of a user are `null`.
enum LivlogiosBodies {
    // MARK: Requests

    /// The body's `email` is accepted but ignored: the address comes from the verified token.
    static func appleSignIn(_ fields: Fields) throws(RequestError) -> SignIn.Input {
        var input = SignIn.Input(
            provider: "apple", idToken: try fields.required("identityToken"))
        input.fullName = try fields.fullName()
        // The app sends an empty text if Apple returned no code (LV26).
        input.authorizationCode = try fields.optional("authorizationCode")
        return input
    }

    static func appleLink(_ fields: Fields) throws(RequestError) -> LinkIdentity.Input {
        LinkIdentity.Input(
            IdentityProof(provider: "apple", idToken: try fields.required("identityToken")),
            authorizationCode: try fields.optional("authorizationCode"))
    }

    // MARK: Responses

    static func signedIn(_ tokens: SessionTokens) -> JSON { .object(session(tokens)) }

    private static func session(_ tokens: SessionTokens) -> JSONObject {
        let user = tokens.user
        var body = members(tokens)
        body["user"] = [
            "id": .string(user.id.text),
            "email": user.email.map { .string($0) } ?? .null,
            "displayName": user.displayName.map { .string($0) } ?? .null,
            "createdAt": .string(user.createdAt.iso8601Seconds),
        ]
        return body
    }

    /// Like `signedIn`, but without `expiresIn` (LV21).
    static func verified(_ tokens: SessionTokens) -> JSON {
        var body = session(tokens)
        body["expiresIn"] = nil
        return .object(body)
    }

    static func mailed(_ message: String, _ email: EmailAddress) -> JSON {
        ["message": .string(message), "email": .string(email.text)]
    }

    static func tokens(_ tokens: SessionTokens) -> JSON { .object(members(tokens)) }

    private static func members(_ tokens: SessionTokens) -> JSONObject {
        [
            "accessToken": .string(tokens.access.reveal()),
            "refreshToken": .string(tokens.refresh.reveal()),
            "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
        ]
    }

    static func profile(_ user: User) -> JSON {
        [
            "id": .string(user.id.text),
            "email": user.email.map { .string($0) } ?? .null,
            "displayName": user.displayName.map { .string($0) } ?? .null,
            "emailVerified": .bool(user.isEmailVerified),
            "authProviders": .array(user.providers.map { .string($0) }),
            "createdAt": .string(user.createdAt.iso8601Seconds),
            "updatedAt": .string(user.updatedAt.iso8601Seconds),
        ]
    }
}
