internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("shell") { .shell } }

extension Contract {
    /// E-mail and password: 15-minute access tokens, UUID refresh tokens that are valid once, reuse
    /// ends every session of the user, errors `{error, message, field}`.
    package static let shell = Contract(
        name: "shell",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(7), absoluteLifetime: .days(365),
                rotation: .everyUse(grace: .zero), reuseScope: .user, refreshTokens: .uuid),
            accessTokens: AccessTokenPolicy(
                lifetime: .minutes(15), algorithm: .hs256, type: "JWT", includesKeyID: false,
                audience: "shell",
                claims: [
                    .init("sub", .userID), .init("email", .email), .init("iat", .issuedAt),
                    .init("exp", .expiresAt), .init("jti", .tokenID), .init("sid", .session),
                    .init("epoch", .epoch),
                ]),
            identity: IdentityPolicy(nonce: .chosenByClient),
            accounts: AccountPolicy(claimsEmail: true),
            passwords: PasswordPolicy(
                rules: PasswordRules(charactersMin: 8, required: [.uppercase, .number, .special]),
                cost: PasswordCost(memoryKiB: 64 << 10, passes: 3, lanes: 4),
                registration: .immediate),
            secondFactors: SecondFactorPolicy(), devices: DevicePolicy(),
            // SH75. Registration needs a password, so a link does not create an account.
            magicLinks: MagicLinkPolicy(createsAccounts: false, needsRequestSecret: false),
            links: LinkPolicy(
                base: "shell://auth",
                paths: [.magicLink: "callback", .confirmEmail: "verify-email"]),
            limits: ShellEndpoints.limits,
            audit: AuditPolicy(recordsRefreshes: true)),
        rules: RequestRules(requiresHTTPS: true),
        endpoints: ShellEndpoints.all,
        SecondFactorEndpoints(session: ShellBodies.loggedIn).all, DeviceEndpoints.all,
        AuditEndpoints(path: "/auth/logs", event: ShellBodies.auditEvent).all,
        errors: ShellErrors.format)
}

private enum ShellEndpoints {
    typealias Bodies = ShellBodies

    /// SH70 and SH71. The seed has no other limits (SH72).
    static let limits: [RateLimit] =
        [
            RateLimit(.login, per: .email, 5, in: .minutes(15)),
            RateLimit(.refresh, per: .address, 10, in: .minutes(15)),
            RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
        ] + .passwordAccounts.filter { $0.operation != .login || $0.subject != .email }
        + .secondFactors + .magicLinks + .confirmation + [
            RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
            RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
        ]

    static let all: [Endpoint] = [
        Endpoint(.register, .post("/auth/register")) { call, auth in
            let input = try Bodies.registration(call.body)
            guard case .created(let user) = try auth.register(input, call.caller) else {
                return .noContent
            }
            return Answer(201, Bodies.registered(user))
        },
        Endpoint(.login, .post("/auth/login"), needs: [.sessions, .notices]) { call, auth in
            var input = LogIn.Input(
                email: try call.body.email(), password: try call.body.required("password"))
            input.device = try call.body.device()
            return Answer(try auth.logIn(input, call.caller), session: Bodies.loggedIn)
        },
        Endpoint(.refresh, .post("/auth/refresh"), needs: [.sessions]) { call, auth in
            let token = try call.body.required("refreshToken")
            return Answer(Bodies.session(try auth.refresh(token, call.caller)))
        },
        Endpoint(.signOut, .post("/auth/logout"), needs: [.sessions]) { call, auth in
            try auth.signOut(
                refreshToken: try call.body.required("refreshToken"), scope: .session,
                needsBearer: true, call.caller)
            return Answer(["message": "Logged out successfully"])
        },
        Endpoint(
            .forgotPassword, .post("/auth/forgot-password"), needs: [.mail, .links]
        ) { call, auth in
            try auth.forgotPassword(try call.body.email(), call.caller)
            return Answer(["message": "If the account exists, a reset link has been sent"])
        },
        Endpoint(.resetPassword, .post("/auth/reset-password"), needs: [.mail]) { call, auth in
            try auth.resetPassword(
                token: try call.body.required("token"),
                newPassword: try call.body.confirmedPassword("newPassword"), call.caller)
            return Answer(["message": "Password changed"])
        },
        Endpoint(
            .changePassword, .post("/auth/change-password"), needs: [.sessions, .mail]
        ) { call, auth in
            let tokens = try auth.changePassword(
                current: try call.body.required("currentPassword"),
                new: try call.body.confirmedPassword("newPassword"), call.caller)
            return Answer(.object(Bodies.loggedIn(tokens)))
        },
        // SH78. The seed mentions the verification of the address without details.
        Endpoint(
            .requestAddressVerification, .post("/auth/verify-email/send"), needs: [.mail, .links]
        ) { call, auth in
            _ = try auth.requestAddressVerification(call.caller)
            return Answer(["message": "A verification link has been sent"])
        },
        Endpoint(
            .verifyAddress, .post("/auth/verify-email"), selectedBy: DirectSelector("token")
        ) { call, auth in
            let token = try call.body.required("token")
            _ = try auth.verifyAddress(token: token, call.caller)
            return Answer(["message": "E-mail address verified"])
        },
        // SH77. The seed mentions the providers without details.
        Endpoint(
            .signIn, .post("/auth/signin"), needs: [.sessions, .identityProviders, .notices]
        ) { call, auth in
            let output = try auth.signIn(try Bodies.signIn(call.body), call.caller)
            return Answer(output.result) { Bodies.signedIn($0, output) }
        },
        Endpoint(
            .requestMagicLink, .post("/auth/magic-link"), needs: [.mail, .links]
        ) { call, auth in
            // SH75: the client redeems the token without a request secret.
            _ = try auth.requestMagicLink(try call.body.email(), call.caller)
            return Answer(["message": "If the account exists, a sign-in link has been sent"])
        },
        Endpoint(
            .redeemMagicLink, .post("/auth/magic-link/verify"), needs: [.sessions, .mail]
        ) { call, auth in
            var input = RedeemMagicLink.Input(token: try call.body.required("token"))
            input.device = try call.body.device()
            return Answer(
                try auth.redeemMagicLink(input, call.caller).result, session: Bodies.loggedIn)
        },
        .housekeeping(
            .sendDueMail, .rotateKeys, .replaceMasterKey, .forgetImportedHashes, .logAuditHeads,
            .removeExpired),
        .importUsers,
        .exportUser,
    ]
}
