internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

enum WhatEatBodies {
    static func signIn(_ fields: Fields) throws -> SignIn.Input {
        var input = SignIn.Input(
            provider: try fields.appleOrGoogle(), idToken: try fields.required("idToken"))
        input.fullName = try fields.fullName()
        return input
    }

    static func session(_ tokens: SessionTokens) -> JSON {
        [
            "accessToken": .string(tokens.access.reveal()),
            "refreshToken": .string(tokens.refresh.reveal()),
            "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
            "expiresAt": .number(JSONNumber(tokens.access.expiresAt.seconds)),
            "user": [
                "id": .string(tokens.user.id.text),
                "email": tokens.user.email.map { .string($0) } ?? .null,
                "createdAt": .string(tokens.user.createdAt.iso8601Milliseconds),
            ],
        ]
    }
}
