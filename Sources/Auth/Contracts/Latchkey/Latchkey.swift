internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("latchkey") { .latchkey } }

extension Contract {
    /// The default contract: all operations, with the strictest rules.
    package static let latchkey = Contract(
        name: "latchkey",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(30), absoluteLifetime: .days(365),
                rotation: .everyUse(grace: .seconds(60)),
                refreshTokens: .selfContained(prefix: "lkr_")),
            accessTokens: AccessTokenPolicy(
                lifetime: .minutes(15), algorithm: .es256, or: [.rs256, .edDSA], type: "at+jwt",
                includesKeyID: true, audience: "latchkey", claims: .standard + .proof),
            identity: IdentityPolicy(nonce: .issued, keepsTokens: true),
            accounts: AccountPolicy(
                claimsEmail: true, followsProvider: true, isListed: true, isSearchable: true),
            passwords: PasswordPolicy(
                rules: PasswordRules(charactersMin: 12, refusesCommon: true),
                cost: .standard,
                registration: .afterVerification(repeatsPassword: true)),
            secondFactors: SecondFactorPolicy(removalDelay: .hours(24)), devices: DevicePolicy(),
            magicLinks: MagicLinkPolicy(createsAccounts: true, needsRequestSecret: true),
            mailCodes: MailCodePolicy(), mailBudget: MailBudget(),
            emailChanges: EmailChangePolicy(), passkeys: PasskeyPolicy(), guests: GuestPolicy(),
            pages: PagesPolicy(), oauth: OAuthPolicy(), revocations: RevocationPolicy(),
            merging: MergePolicy(), asksHooks: true, proofs: ProofPolicy(),
            limits: .standard + .passwordAccounts + .confirmation + .emailChanges + .magicLinks
                + .methods + .secondFactors + .passkeys + .stepUp + .guests + .merging + .exports
                + .pages + .oauth + .notifications + .administration),
        endpoints: LatchkeyEndpoints.all,
        SecondFactorEndpoints(
            session: LatchkeyBodies.session, acceptsPasskeys: true, asksHooks: true,
            mailsLinks: true
        ).all,
        PasskeyEndpoints(session: LatchkeyBodies.session, device: LatchkeyBodies.device).all,
        StepUpEndpoint.all,
        DeviceEndpoints.all, GuestEndpoints.all, MergeEndpoints.all,
        AdminEndpoints(home: ContractPages.administration).all,
        LatchkeyEndpoints.users.all,
        EmailChangeEndpoints(users: LatchkeyEndpoints.users).all,
        AuditEndpoints(
            path: "/auth/audit", event: LatchkeyBodies.auditEvent, users: LatchkeyEndpoints.users
        ).all,
        UserSessionEndpoints(users: LatchkeyEndpoints.users).all,
        WebhookEndpoints(users: LatchkeyEndpoints.users).all, PageTokenEndpoint.all,
        OAuthEndpoints.all, ClientEndpoints(users: LatchkeyEndpoints.users).all,
        GrantEndpoints(users: LatchkeyEndpoints.users).all,
        MetadataEndpoints.all, RevocationEndpoint.all,
        pages: ContractPages(users: LatchkeyEndpoints.users, areForUsers: true),
        errors: LatchkeyErrors.format)
}

enum LatchkeyEndpoints {
    typealias Bodies = LatchkeyBodies

    static let users = UserEndpoints(
        path: "/auth/users", acceptsUsers: true, actions: UserAction.allCases,
        user: LatchkeyBodies.administered)

    static let all: [Endpoint] = [
        Endpoint(.challenge, .post("/auth/challenge")) { call, auth in
            Answer(Bodies.challenge(try auth.challenge(call.caller)))
        },
        Endpoint(
            .signIn, .post("/auth/signin"),
            needs: [.sessions, .identityProviders, .notices, .hooks]
        ) { call, auth in
            Bodies.signedIn(try auth.signIn(try Bodies.signIn(call.body), call.caller))
        },
        Endpoint(
            .register, .post("/auth/register"), needs: [.mail, .links, .hooks]
        ) { call, auth in
            let input = try Bodies.registration(call.body)
            let output = try auth.register(input, call.caller)
            return Answer(202, Bodies.mailSent(to: input.email, output.requestSecret))
        },
        Endpoint(
            .completeRegistration, .post("/auth/verify-email"), needs: [.sessions, .hooks]
        ) { call, auth in
            let tokens = try auth.completeRegistration(
                try Bodies.mailAnswer(call.body), password: try call.body.required("password"),
                on: try Bodies.device(call.body), call.caller)
            return Answer(201, .object(Bodies.session(tokens)))
        },
        Endpoint(
            .resendVerification, .post("/auth/resend-verification"), needs: [.mail, .links]
        ) { call, auth in
            let email = try call.body.email()
            let secret = try auth.resendVerification(email, call.caller)
            return Answer(202, Bodies.mailSent(to: email, secret))
        },
        Endpoint(
            .login, .post("/auth/login"), needs: [.sessions, .notices, .hooks]
        ) { call, auth in
            Answer(
                try auth.logIn(try Bodies.login(call.body), call.caller), session: Bodies.session)
        },
        Endpoint(
            .forgotPassword, .post("/auth/forgot-password"), needs: [.mail, .links]
        ) { call, auth in
            let email = try call.body.email()
            let secret = try auth.forgotPassword(email, call.caller)
            return Answer(202, Bodies.mailSent(to: email, secret))
        },
        Endpoint(.resetPassword, .post("/auth/reset-password"), needs: [.mail]) { call, auth in
            let body = try call.body.only("token", "code", "requestSecret", "newPassword")
            try auth.resetPassword(
                try Bodies.mailAnswer(body), newPassword: try body.required("newPassword"),
                call.caller)
            return .noContent
        },
        Endpoint(
            .changePassword, .post("/auth/change-password"), needs: [.sessions, .mail, .hooks]
        ) { call, auth in
            let body = try call.body.only("currentPassword", "newPassword")
            let tokens = try auth.changePassword(
                current: try body.required("currentPassword"),
                new: try body.required("newPassword"), call.caller)
            return Answer(.object(Bodies.session(tokens)))
        },
        Endpoint(
            .requestMagicLink, .post("/auth/magic-link"), needs: [.mail, .links]
        ) { call, auth in
            let email = try call.body.email()
            let secret = try auth.requestMagicLink(email, call.caller)
            return Answer(202, Bodies.mailSent(to: email, secret))
        },
        Endpoint(
            .redeemMagicLink, .post("/auth/magic-link/redeem"), needs: [.sessions, .mail, .hooks]
        ) { call, auth in
            let input = try Bodies.magicLink(call.body)
            return Bodies.signedIn(try auth.redeemMagicLink(input, call.caller))
        },
        Endpoint(
            .requestAddressVerification, .post("/auth/email/confirmation"), needs: [.mail, .links]
        ) { call, auth in
            let (email, secret) = try auth.requestAddressVerification(call.caller)
            return Answer(202, Bodies.mailSent(to: email, secret))
        },
        Endpoint(
            .verifyAddress, .post("/auth/email/confirm"), needs: [.mail, .links],
            selectedBy: .mailAnswer
        ) { call, auth in
            let answer = try Bodies.mailAnswer(call.body)
            return Answer(Bodies.profile(try auth.verifyAddress(answer, call.caller)))
        },
        Endpoint(.listMethods, .get("/auth/methods")) { call, auth in
            Answer(try auth.listMethods(call.caller).body)
        },
        Endpoint(
            .linkIdentity, .post("/auth/methods"),
            needs: [.sessions, .identityProviders, .mail, .links]
        ) { call, auth in
            let input = try Bodies.link(
                try call.body.only("provider", "idToken", "nonce", "authorizationCode"))
            switch try auth.linkIdentity(input, call.caller) {
            case .added(let methods): return Answer(201, methods.body)
            case .inUse(let ticket): return MergeEndpoints.inUse(ticket)
            }
        },
        Endpoint(
            .removeMethod, .delete("/auth/methods/{method}"), needs: [.sessions, .mail, .hooks],
            selectedBy: DirectSelector("method")
        ) { call, auth in
            let method = call.parameter("method")
            return Answer(.object(Bodies.session(try auth.removeMethod(method, call.caller))))
        },
        Endpoint(
            .addPassword, .post("/auth/methods/password"), needs: [.mail, .links]
        ) { call, auth in
            let body = try call.body.only("password", "email")
            let output = try auth.addPassword(
                try body.required("password"), email: try body.optionalEmail(), call.caller)
            switch output {
            case .added(let methods): return Answer(201, methods.body)
            case .linkSent(let email, let secret):
                return Answer(202, Bodies.mailSent(to: email, secret))
            }
        },
        Endpoint(
            .completeAddPassword, .post("/auth/methods/password/confirm"), needs: [.mail, .links],
            selectedBy: .mailAnswer
        ) { call, auth in
            let answer = try Bodies.mailAnswer(call.body)
            return Answer(201, try auth.completeAddPassword(answer, call.caller).body)
        },
        Endpoint(.refresh, .post("/auth/refresh"), needs: [.sessions, .hooks]) { call, auth in
            let token = try call.body.required("refreshToken")
            return Answer(.object(Bodies.session(try auth.refresh(token, call.caller))))
        },
        Endpoint(.signOut, .post("/auth/signout"), needs: [.sessions, .oauth]) { call, auth in
            let body = try call.body.only("refreshToken", "scope")
            try auth.signOut(
                refreshToken: try body.text("refreshToken"),
                scope: try body.choice("scope", SignOut.Scope.self) ?? .session, call.caller)
            return Answer(["success": true])
        },
        .signedIn(.me, .get("/auth/me")) { _, principal, _ in
            Answer(Bodies.profile(principal.user))
        },
        Endpoint(
            .changeName, .patch("/auth/me"), selectedBy: DirectSelector("action", is: "changeName")
        ) { call, auth in
            guard let name = try call.body.only("displayName").text("displayName") else {
                throw RequestError.missingField("displayName")
            }
            return Answer(Bodies.profile(try auth.changeName(to: name, call.caller)))
        },
        Endpoint(.exportAccount, .get("/auth/export")) { call, auth in
            .download(try auth.exportAccount(after: call.query("after"), call.caller))
        },
        .appleNotifications(.post("/auth/apple/notifications")),
        .signedIn(
            .deleteAccount, .delete("/auth/account"), needs: [.sessions, .mail, .erasure, .hooks]
        ) { call, principal, auth in
            try auth.deleteAccount(principal, call.caller)
            return .noContent
        },
        .signedIn(.listSessions, .get("/auth/sessions")) { _, principal, auth in
            Answer(Bodies.sessions(try auth.listSessions(principal)))
        },
        .signedIn(
            .revokeSession, .delete("/auth/sessions/{id}"), selectedBy: DirectSelector("id")
        ) { call, principal, auth in
            try auth.revokeSession(call.parameter("id"), principal, call.caller)
            return .noContent
        },
        .signedIn(.credentials, .post("/auth/credentials"), needs: [.storage]) {
            call, principal, auth in
            let wanted = try Bodies.credentials(
                try call.body.only("access", "prefix", "durationSeconds"))
            return Answer(Bodies.storage(try auth.credentials(wanted, principal, call.caller)))
        },
        Endpoint(
            .keySet, .get("/.well-known/jwks.json"), needs: [.sessions, .oauth]
        ) { _, auth in
            Answer(200, try auth.publishKeys.keySet(), headers: publicForAnHour)
        }.answering(admitting: .everyone),
        Endpoint(
            .discovery, .get("/.well-known/openid-configuration"), needs: [.oauth],
            selectedBy: DirectSelector("document", is: "openid-configuration")
        ) { _, auth in
            Answer(200, auth.publishKeys.discovery(), headers: publicForAnHour)
        }.answering(admitting: .everyone),
        users.guarded(
            .rotateKeysByAdministrator, .post("/auth/admin/keys/rotate"), .administrator,
            needs: [.sessions], selectedBy: DirectSelector("action", is: "rotateKeys")
        ) { call, administrator, auth in
            let reason = try call.body.only("reason", "password").reason()
            return Answer(
                try Bodies.signingKey(
                    auth.rotateKeys(because: reason, by: administrator, call.caller)))
        },
        // This endpoint is for direct invocation only, which IAM authorizes.
        Endpoint(
            .rotateKeys, nil, needs: [.sessions],
            selectedBy: DirectSelector("action", is: "rotate")
        ) { call, auth in Answer(try Bodies.signingKey(auth.rotateKeys(call.caller))) },
        Endpoint(
            .retireKey, nil, needs: [.sessions],
            selectedBy: DirectSelector("action", is: "retire")
        ) { call, auth in
            let kid = try call.body.required("kid")
            return Answer(
                try Bodies.signingKey(auth.rotateKeys(retiring: kid, call.caller)))
        },
        .housekeeping(
            .sendDueMail, .sendDueWebhooks, .sendLogoutNotices, .rotateKeys, .replaceMasterKey,
            .sweepGuests,
            .finishMerges, .finishDeletions, .forgetImportedHashes, .logAuditHeads, .removeExpired,
            .walkDirectory,
            .noteRun),
        .importUsers,
        .exportUser,
    ]

    /// This hour is shorter than the time between the publication of a new key and its first use
    /// (`SigningKeys.publishedBeforeUse`).
    static let publicForAnHour = [
        (name: "cache-control", value: "public, max-age=3600, stale-if-error=86400")
    ]
}
