internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("livlogios") { .livlogios } }

extension Contract {
    /// `/api/v1/auth/apple`, nested errors, RS256 with the issuer and the audience of the original
    /// specification (the seed), opaque refresh tokens, HTTPS only. The statements are in
    /// `Tests/Seeds/livlogios.md`.
    package static let livlogios = Contract(
        name: "livlogios",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(30), absoluteLifetime: .days(365),
                rotation: .everyUse(grace: .seconds(60)), refreshTokens: .opaque(prefix: "")),
            accessTokens: AccessTokenPolicy(
                lifetime: .hours(1), algorithm: .rs256, type: "JWT", includesKeyID: true,
                audience: "livlogios-ios",
                // The six claims of the seed (LV41), and the claims that revocation needs.
                claims: [
                    .init("sub", .userID), .init("email", .email), .init("iat", .issuedAt),
                    .init("exp", .expiresAt), .init("iss", .issuer), .init("aud", .audience),
                    .init("sid", .session), .init("epoch", .epoch),
                ]),
            identity: IdentityPolicy(nonce: .none, keepsTokens: true),
            accounts: AccountPolicy(claimsEmail: true),
            // LV70. The seed has no password rules (LV72), and its link is valid without the
            // password (LV21).
            passwords: PasswordPolicy(
                rules: PasswordRules(charactersMin: 8),
                cost: PasswordCost(memoryKiB: 64 << 10, passes: 2, lanes: 4),
                registration: .afterVerification(repeatsPassword: false)),
            limits: limits,
            // The seed's app sends only its bearer token (LV15).
            deletion: DeletionPolicy(requiresRecentSignIn: false)),
        rules: RequestRules(requiresHTTPS: true),
        endpoints: LivlogiosEndpoints.all,
        errors: LivlogiosErrors.format,
        settingNames: [
            "APPLE_CLIENT_IDS": "APP_BUNDLE_ID", "APPLE_ISSUER": "APPLE_TOKEN_ISSUER",
            "SIGNING_KEY": "PRIVATE_KEY",
        ],
        settingDefaults: [
            "ISSUER": "https://api.livlogios.app", "APPLE_CLIENT_IDS": "net.avalarin.livlogios",
        ])

    /// LV80 to LV84. The seed does not name the subjects of its limits (LV85). The address is
    /// counted because nothing else is known before a token is verified. The verified account is
    /// counted too, so that an attacker gains nothing by using many addresses.
    private static let limits =
        [RateLimit].passwordAccounts.filter {
            $0.operation != .login && $0.operation != .forgotPassword
        } + named + .methods + .notifications

    private static let named: [RateLimit] = [
        RateLimit(.login, per: .address, 5, in: .minutes(1)),
        RateLimit(.login, per: .email, 5, in: .minutes(1)),
        RateLimit(.forgotPassword, per: .address, 3, in: .hours(1)),
        RateLimit(.forgotPassword, per: .email, 3, in: .hours(1)),
        RateLimit(.signIn, per: .address, 10, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 30, in: .minutes(1)),
        RateLimit(.refresh, per: .session, 30, in: .minutes(1)),
        RateLimit(.signOut, per: .address, 10, in: .minutes(1)),
        RateLimit(.signOut, per: .account, 10, in: .minutes(1)),
    ]
}

private enum LivlogiosEndpoints {
    typealias Bodies = LivlogiosBodies

    static let all: [Endpoint] = [
        Endpoint(
            .signIn, .post("/api/v1/auth/apple"), needs: [.sessions, .identityProviders]
        ) { call, auth in
            let output = try auth.signIn(try Bodies.appleSignIn(call.body), call.caller)
            return Answer(Bodies.signedIn(try output.result.tokens))
        },
        Endpoint(.refresh, .post("/api/v1/auth/refresh"), needs: [.sessions]) { call, auth in
            let token = try call.body.required("refreshToken")
            return Answer(Bodies.tokens(try auth.refresh(token, call.caller)))
        },
        Endpoint(.signOut, .post("/api/v1/auth/logout"), needs: [.sessions]) { call, auth in
            try auth.signOut(
                refreshToken: try call.body.required("refreshToken"), scope: .session,
                needsBearer: true, call.caller)
            return .noContent
        },
        Endpoint(
            .register, .post("/api/v1/auth/register"), needs: [.mail, .links]
        ) { call, auth in
            let input = Register.Input(
                email: try call.body.email(), password: try call.body.required("password"),
                displayName: try call.body.text("displayName"))
            _ = try auth.register(input, call.caller)
            return Answer(201, Bodies.mailed("Verification email sent", input.email))
        },
        Endpoint(
            .completeRegistration, .post("/api/v1/auth/verify-email"),
            needs: [.sessions, .mail, .links]
        ) { call, auth in
            let token = try call.body.required("token")
            return Answer(
                Bodies.verified(
                    try auth.completeRegistration(token: token, password: nil, call.caller)))
        },
        Endpoint(
            .resendVerification, .post("/api/v1/auth/resend-verification"), needs: [.mail, .links]
        ) { call, auth in
            let email = try call.body.email()
            try auth.resendVerification(email, call.caller)
            return Answer(Bodies.mailed("Verification email sent", email))
        },
        Endpoint(.login, .post("/api/v1/auth/login"), needs: [.sessions]) { call, auth in
            let input = LogIn.Input(
                email: try call.body.email(), password: try call.body.required("password"))
            return Answer(Bodies.signedIn(try auth.logIn(input, call.caller).tokens))
        },
        Endpoint(
            .forgotPassword, .post("/api/v1/auth/forgot-password"), needs: [.mail, .links]
        ) { call, auth in
            let email = try call.body.email()
            try auth.forgotPassword(email, call.caller)
            return Answer(Bodies.mailed("Password reset email sent", email))
        },
        Endpoint(.resetPassword, .post("/api/v1/auth/reset-password"), needs: [.mail]) {
            call, auth in
            try auth.resetPassword(
                token: try call.body.required("token"),
                newPassword: try call.body.required("newPassword"), call.caller)
            return .noContent
        },
        Endpoint(
            .changePassword, .post("/api/v1/auth/change-password"), needs: [.sessions, .mail]
        ) { call, auth in
            let tokens = try auth.changePassword(
                current: try call.body.required("currentPassword"),
                new: try call.body.required("newPassword"), call.caller)
            return Answer(Bodies.tokens(tokens))
        },
        .signedIn(.me, .get("/api/v1/auth/me")) { _, principal, _ in
            Answer(Bodies.profile(principal.user))
        },
        .appleNotifications(.post("/api/v1/auth/apple/notifications")),
        .signedIn(
            .deleteAccount, .delete("/api/v1/auth/account"), needs: [.sessions, .mail, .erasure]
        ) { call, principal, auth in
            try auth.deleteAccount(principal, call.caller)
            return .noContent
        },
        // LV74. The seed specifies neither paths nor bodies.
        Endpoint(.listMethods, .get("/api/v1/auth/methods")) { call, auth in
            Answer(try auth.listMethods(call.caller).body)
        },
        Endpoint(
            .linkIdentity, .post("/api/v1/auth/methods/apple"),
            needs: [.sessions, .identityProviders, .mail]
        ) { call, auth in
            let input = try Bodies.appleLink(call.body)
            return Answer(201, try auth.linkIdentity(input, call.caller).methods.body)
        },
        Endpoint(
            .removeMethod, .delete("/api/v1/auth/methods/{method}"), needs: [.sessions, .mail],
            selectedBy: DirectSelector("method")
        ) { call, auth in
            let method = call.parameter("method")
            return Answer(Bodies.tokens(try auth.removeMethod(method, call.caller)))
        },
        Endpoint(
            .addPassword, .post("/api/v1/auth/methods/password"), needs: [.mail, .links]
        ) { call, auth in
            let output = try auth.addPassword(
                try call.body.required("password"), email: try call.body.optionalEmail(),
                call.caller)
            switch output {
            case .added(let methods): return Answer(201, methods.body)
            case .linkSent(let email, _):
                return Answer(202, Bodies.mailed("Verification email sent", email))
            }
        },
        Endpoint(
            .completeAddPassword, .post("/api/v1/auth/methods/password/confirm"), needs: [.mail],
            selectedBy: DirectSelector("token")
        ) { call, auth in
            let token = try call.body.required("token")
            return Answer(
                201, try auth.completeAddPassword(token: token, call.caller).body)
        },
        .housekeeping(
            .sendDueMail, .rotateKeys, .replaceMasterKey, .finishDeletions, .logAuditHeads,
            .removeExpired),
        AuditEndpoints.verification,
        .inspectSessions,
        .inspectSession,
        .exportUser,
    ]
}
