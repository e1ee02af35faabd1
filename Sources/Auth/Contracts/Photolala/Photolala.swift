internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("photolala") { .photolala } }

extension Contract {
    /// A direct invocation of `photolala-auth-signin`: returns the user and storage credentials,
    /// without a session.
    package static let photolala = Contract(
        name: "photolala",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(30), absoluteLifetime: .days(365),
                rotation: .everyUse(grace: .seconds(60)),
                refreshTokens: .selfContained(prefix: "plr_")),
            accessTokens: AccessTokenPolicy(
                lifetime: .hours(1), algorithm: .es256, type: "at+jwt", includesKeyID: true,
                audience: "photolala"),
            identity: IdentityPolicy(nonce: .chosenByClient, tokenAgeMax: .hours(1)),
            limits: .standard + [
                RateLimit(.linkByTokens, per: .address, 60, in: .minutes(1)),
                RateLimit(.linkByTokens, per: .account, 10, in: .minutes(1)),
            ]),
        endpoints: [
            Endpoint(.signIn, nil, needs: [.sessions, .identityProviders, .storage]) { call, auth in
                let output = try auth.signInForStorage(
                    try PhotolalaBodies.signIn(call.body), call.caller)
                return Answer([
                    "user": PhotolalaBodies.user(output.user),
                    "credentials": output.credentials.keys.body,
                ])
            },
            // PH5. The seed does not specify a payload: it is the payload of a sign-in, plus the
            // identity to add in `link`.
            Endpoint(
                .linkByTokens, nil, needs: [.identityProviders], selectedBy: DirectSelector("link")
            ) { call, auth in
                let (proof, added) = try PhotolalaBodies.link(call.body)
                return Answer([
                    "user": PhotolalaBodies.user(
                        try auth.linkByTokens(proof, adding: added, call.caller))
                ])
            },
            AuditEndpoints.verification,
            .inspectSessions,
            .inspectSession,
            .exportUser,
        ],
        errors: PhotolalaErrors.format)
}
