internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("journal") { .journal } }

extension Contract {
    /// The accounts of a journal: `/v1/session` is opened with an ID token of Apple or Google,
    /// renewed, and closed. Names in snake_case, errors as in RFC 9457.
    static let journal = Contract(
        name: "journal",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(14), absoluteLifetime: .days(180),
                rotation: .everyUse(grace: .seconds(30)),
                refreshTokens: .selfContained(prefix: "journal_")),
            accessTokens: AccessTokenPolicy(
                lifetime: .minutes(10), algorithm: .es256, type: "at+jwt", includesKeyID: true,
                audience: "journal"),
            identity: IdentityPolicy(nonce: .none),
            limits: .standard),
        endpoints: [
            Endpoint(
                .signIn, .post("/v1/session"), needs: [.sessions, .identityProviders]
            ) { call, auth in
                let input = SignIn.Input(
                    provider: try call.body.appleOrGoogle(),
                    idToken: try call.body.required("id_token"))
                let output = try auth.signIn(input, call.caller)
                return Answer(201, JournalBodies.session(try output.result.tokens))
            },
            Endpoint(.refresh, .post("/v1/session/renewal"), needs: [.sessions]) { call, auth in
                let token = try call.body.required("refresh_token")
                return Answer(JournalBodies.session(try auth.refresh(token, call.caller)))
            },
            Endpoint(.signOut, .delete("/v1/session"), needs: [.sessions]) { call, auth in
                try auth.signOut(refreshToken: nil, scope: .session, call.caller)
                return .noContent
            },
            .signedIn(.me, .get("/v1/me")) { _, principal, _ in
                Answer(JournalBodies.user(principal.user))
            },
        ],
        // `{"title": "<sentence>", "status": 401, "code": "<CODE>"}`
        errors: ErrorFormat { response, _, _ in
            let problem: JSON = [
                "title": .string(response.message), "status": .number(response.status),
                "code": .string(response.code.text),
            ]
            return Answer(
                response.status, .text(problem.text, type: "application/problem+json"),
                headers: response.headers)
        })
}

private enum JournalBodies {
    static func session(_ tokens: SessionTokens) -> JSON {
        [
            "access_token": .string(tokens.access.reveal()),
            "refresh_token": .string(tokens.refresh.reveal()),
            "expires_in": .number(JSONNumber(tokens.access.lifetime.seconds)),
            "user": user(tokens.user),
        ]
    }

    static func user(_ user: User) -> JSON {
        ["id": .string(user.id.text), "email": user.email.map { .string($0) } ?? .null]
    }
}
