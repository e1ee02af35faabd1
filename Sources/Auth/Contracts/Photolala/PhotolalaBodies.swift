internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

enum PhotolalaBodies {
    /// `nonce` and `fullName` may be missing, as in the app's own payload.
    static func signIn(_ fields: Fields) throws -> SignIn.Input {
        var input = SignIn.Input(
            provider: try fields.appleOrGoogle(), idToken: try fields.required("idToken"),
            nonce: try fields.text("nonce"))
        input.fullName = try fields.fullName()
        return input
    }

    /// The identity of the account, and the identity to add to it.
    static func link(_ fields: Fields) throws -> (IdentityProof, IdentityProof) {
        guard let link = try fields.object("link") else { throw RequestError.missingField("link") }
        return (try proof(fields), try proof(link))
    }

    private static func proof(_ fields: Fields) throws -> IdentityProof {
        IdentityProof(
            provider: try fields.appleOrGoogle(), idToken: try fields.required("idToken"),
            nonce: try fields.text("nonce"))
    }

    /// `PhotolalaUser`. Its display name is required, so a user without a name is named after the
    /// provider, such as `Apple User`.
    static func user(_ user: User) -> JSON {
        var body: JSONObject = ["id": .string(user.id.text)]
        body["appleUserID"] = user.subject(at: "apple").map { .string($0) }
        body["googleUserID"] = user.subject(at: "google").map { .string($0) }
        body["email"] = user.email.map { .string($0) }
        let fallback = user.subject(at: "apple") == nil ? "Google User" : "Apple User"
        body["displayName"] = .string(user.displayName ?? fallback)
        body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
        body["updatedAt"] = .string(user.updatedAt.iso8601Milliseconds)
        return .object(body)
    }
}
