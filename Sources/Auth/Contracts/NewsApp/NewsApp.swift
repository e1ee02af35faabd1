internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

@section("latchkey_contracts") @used
private let entry: ContractEntry = { Contract.register("news_app") { .newsApp } }

extension Contract {
    /// `/auth/apple`, snake_case, integer IDs, HS256, a JWT as refresh token without rotation, and
    /// errors in FastAPI's format. The statements are in `Tests/Seeds/news_app.md`.
    package static let newsApp = Contract(
        name: "news_app",
        policy: Policy(
            // The app keeps its first refresh token (NA21), so the token is valid until seven days
            // after the sign-in.
            sessions: SessionPolicy(
                idleLifetime: .days(7), absoluteLifetime: .days(7), rotation: .never,
                refreshTokens: .jwt(type: "refresh+jwt")),
            accessTokens: AccessTokenPolicy(
                lifetime: .minutes(30), algorithm: .hs256, type: "JWT", includesKeyID: false,
                audience: "news_app",
                claims: [
                    .init("user_id", .publicUserID), .init("iat", .issuedAt),
                    .init("exp", .expiresAt), .init("sid", .userAndSession),
                    .init("epoch", .epoch),
                ]),
            identity: IdentityPolicy(nonce: .none),
            accounts: AccountPolicy(hasPublicID: true, claimsEmail: true, isListed: true),
            limits: .standard + .administration,
            // The app uses this name of the cookie (NA23).
            admin: AdminPolicy(allowsPlainPassword: true, hasHostCookie: false)),
        rules: RequestRules(requiresHTTPS: true),
        endpoints: NewsAppEndpoints.all, AdminEndpoints(home: "/").all,
        // The flag is_admin gives no permission (CN17).
        NewsAppEndpoints.users.all,
        pages: ContractPages(
            home: "/admin/", users: NewsAppEndpoints.users, areForUsers: false),
        errors: NewsAppErrors.format,
        settingNames: ["JWT_SECRET": "JWT_SECRET_KEY"])
}

private enum NewsAppEndpoints {
    typealias Bodies = NewsAppBodies

    static let users = UserEndpoints(
        path: "/admin/users", acceptsUsers: false, user: NewsAppBodies.administered)

    static let all: [Endpoint] = [
        Endpoint(.signIn, .post("/auth/apple"), needs: [.sessions, .identityProviders]) {
            call, auth in
            let output = try auth.signIn(try Bodies.appleSignIn(call.body), call.caller)
            return Answer(Bodies.session(try output.result.tokens))
        },
        Endpoint(.refresh, .post("/auth/refresh"), needs: [.sessions]) { call, auth in
            let token = try call.body.required("refresh_token")
            return Answer(Bodies.session(try auth.refresh(token, call.caller)))
        },
        .signedIn(.me, .get("/auth/me")) { _, principal, _ in
            Answer(Bodies.user(principal.user))
        },
        AuditEndpoints.verification,
        .inspectSessions,
        .inspectSession,
        .exportUser,
    ]
}
