internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// A signed-in user proves the identity again.
enum StepUpEndpoint {
    static let all: [Endpoint] = [
        Endpoint(
            .stepUp, .post("/auth/step-up"),
            needs: [.sessions, .mail, .passkeyFactor, .identityProvidersIfAny, .hooks]
        ) { call, auth in
            let output = try auth.stepUp(try answer(call.body), call.caller)
            let (access, proof) = (output.access, output.proof)
            return Answer([
                "accessToken": .string(access.reveal()),
                "tokenType": access.isBound ? "DPoP" : "Bearer",
                "expiresIn": .number(JSONNumber(access.lifetime.seconds)),
                "expiresAt": .number(JSONNumber(access.expiresAt.seconds)),
                "acr": .string(proof.strength.name),
                "amr": .array((proof.references ?? []).map { .string($0) }),
                "authTime": .number(JSONNumber(proof.provenAt.seconds)),
            ])
        }
    ]

    /// The first member that is present determines how the user proves the identity.
    private static func answer(_ body: Fields) throws(RequestError) -> StepUp.Answer {
        if body.has("credential") {
            return .passkey(ceremony: try body.required("ceremony"), try body.assertion())
        }
        if let password = try body.optional("password") { return .password(password) }
        if let code = try body.optional("recoveryCode") {
            return .secondFactor(.recoveryCode(code))
        }
        if body.has("provider") {
            return .identity(
                IdentityProof(
                    provider: try body.required("provider"),
                    idToken: try body.required("idToken"), nonce: try body.text("nonce")))
        }
        if let secret = try body.optional("requestSecret") {
            return .mail(try LatchkeyBodies.mailAnswer(body), requestSecret: secret)
        }
        return .secondFactor(.code(typed: try body.required("code")))
    }
}
