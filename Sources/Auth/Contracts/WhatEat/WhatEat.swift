internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("whateat") { .whateat } }

extension Contract {
    /// `/api/v1`, flat errors, HS256, `v1.` refresh tokens.
    package static let whateat = Contract(
        name: "whateat",
        policy: Policy(
            sessions: SessionPolicy(
                // A user who uses the app within thirty days stays signed in (WE4).
                idleLifetime: .days(30), absoluteLifetime: .days(36_500),
                rotation: .everyUse(grace: .seconds(60)),
                refreshTokens: .selfContained(prefix: "v1.")),
            // The tokens have no key ID: the thumbprint of a shared secret would publish a hash of
            // it.
            accessTokens: AccessTokenPolicy(
                lifetime: .hours(1), algorithm: .hs256, type: "JWT", includesKeyID: false,
                audience: "whateat"),
            identity: IdentityPolicy(nonce: .none),
            limits: .standard),
        endpoints: [
            Endpoint(
                .signIn, .post("/api/v1/auth/signin"), needs: [.sessions, .identityProviders]
            ) { call, auth in
                let output = try auth.signIn(try WhatEatBodies.signIn(call.body), call.caller)
                return Answer(WhatEatBodies.session(try output.result.tokens))
            },
            Endpoint(.refresh, .post("/api/v1/auth/refresh"), needs: [.sessions]) { call, auth in
                let token = try call.body.required("refreshToken")
                return Answer(WhatEatBodies.session(try auth.refresh(token, call.caller)))
            },
            Endpoint(.signOut, .post("/api/v1/auth/signout"), needs: [.sessions]) { call, auth in
                try auth.signOut(refreshToken: nil, scope: .session, call.caller)
                return Answer(["success": true])
            },
            AuditEndpoints.verification,
            .inspectSessions,
            .inspectSession,
            .exportUser,
        ],
        errors: WhatEatErrors.format)
}
