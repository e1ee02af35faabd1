internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import QRCode
internal import Time

/// Authenticator apps, recovery codes, and the second step of a sign-in.
struct SecondFactorEndpoints {
    /// The contract's response for a session.
    let session: @Sendable (SessionTokens) -> JSONObject
    /// Whether a passkey can be given instead of a code.
    var acceptsPasskeys = false
    var asksHooks = false
    /// Whether mails have a link that undoes a change.
    var mailsLinks = false

    private var signInNeeds: ServiceNeeds {
        acceptsPasskeys ? needs.union(.passkeyFactor) : needs
    }

    private var changeNeeds: ServiceNeeds { mailsLinks ? needs.union(.links) : needs }

    /// The services that starting a session needs.
    private var needs: ServiceNeeds {
        asksHooks ? [.sessions, .mail, .hooks] : [.sessions, .mail]
    }

    var all: [Endpoint] {
        [
            Endpoint(
                .secondFactor, .post("/auth/second-factor"), needs: signInNeeds
            ) { call, auth in
                let ticket = try call.body.required("ticket")
                guard call.body.has("credential") else {
                    let tokens = try auth.completeSignIn(
                        ticket: ticket, answer(call), call.caller)
                    return Answer(.object(session(tokens)))
                }
                let tokens = try auth.completeSignInWithPasskey(
                    ticket: ticket, ceremony: try call.body.required("ceremony"),
                    try call.body.assertion(), call.caller)
                return Answer(.object(session(tokens)))
            },
            Endpoint(
                .enrolAuthenticator, .post("/auth/totp"), needs: [.sessions, .mail]
            ) { call, auth in
                Answer(try enrolled(try auth.enrolAuthenticator(call.caller)))
            },
            Endpoint(
                .confirmAuthenticator, .post("/auth/totp/confirm"), needs: changeNeeds,
                selectedBy: DirectSelector("action", is: "confirm")
            ) { call, auth in
                let code = try call.body.required("code")
                let output = try auth.confirmAuthenticator(code: code, call.caller)
                return Answer(adding(codes(output.recoveryCodes), to: session(output.tokens)))
            },
            Endpoint(
                .replaceRecoveryCodes, .post("/auth/totp/recovery-codes"),
                needs: mailsLinks ? [.sessions, .mail, .links] : [.sessions, .mail],
                selectedBy: DirectSelector("action", is: "recoveryCodes")
            ) { call, auth in
                let code = try call.body.required("code")
                let replaced = try auth.replaceRecoveryCodes(code: code, call.caller)
                return Answer(["recoveryCodes": codes(replaced)])
            },
            Endpoint(
                .removeAuthenticator, .post("/auth/totp/remove"), needs: changeNeeds,
                selectedBy: DirectSelector("action", is: "remove")
            ) { call, auth in
                Answer(.object(session(try auth.removeAuthenticator(answer(call), call.caller))))
            },
        ]
    }

    /// A code of the app, or a recovery code.
    private func answer(_ call: Call) throws(RequestError) -> SecondFactorAnswer {
        if let code = try call.body.optional("recoveryCode") { return .recoveryCode(code) }
        return .code(typed: try call.body.required("code"))
    }

    private func enrolled(_ output: EnrolAuthenticator.Output) throws(AuthError) -> JSON {
        guard let code = QRCode(Array(output.uri.utf8)) else { throw .fault(.unexpectedError) }
        return [
            "secret": .string(Base32.encode(output.password.secret.reveal())),
            "uri": .string(output.uri),
            "qrCode": .string(code.svg),
            "expiresIn": .number(JSONNumber(output.lifetime.seconds)),
        ]
    }

    private func codes(_ codes: [RecoveryCode]) -> JSON {
        .array(codes.map { .string($0.reveal()) })
    }

    private func adding(_ codes: JSON, to session: JSONObject) -> JSON {
        var body = session
        body["recoveryCodes"] = codes
        return .object(body)
    }
}

extension Answer {
    /// The answer to a first factor: a session, or 202 with the ticket for `/auth/second-factor`.
    init(_ result: SignInResult, session: (SessionTokens) -> JSONObject) {
        switch result {
        case .session(let tokens): self.init(.object(session(tokens)))
        case .secondFactorRequired(let ticket):
            self.init(
                202,
                [
                    "secondFactorRequired": true,
                    "ticket": .string(ticket.reveal()),
                    "expiresIn": .number(JSONNumber(ticket.lifetime.seconds)),
                    "methods": ticket.acceptsPasskey
                        ? ["totp", "recoveryCode", "passkey"] : ["totp", "recoveryCode"],
                ])
        }
    }
}
