import AuthDomain
import AuthOperations
import AuthRecords
import Contracts
import FunctionRuntime
import JSON
import KeyValueStore
import Time

/// A contract that differs from `latchkey` in everything: integer ids, bare UUID refresh tokens,
/// exact claims, pages and cookies, other setting names, soft delete, protected content.
enum SampleContract {
    static let contract = Contract(
        name: "sample",
        policy: Policy(
            sessions: SessionPolicy(
                idleLifetime: .days(7), absoluteLifetime: .days(30),
                rotation: .everyUse(grace: .zero), reuseScope: .user, refreshTokens: .uuid),
            accessTokens: AccessTokenPolicy(
                lifetime: .minutes(30), algorithm: .hs256, type: "JWT", includesKeyID: false,
                audience: "sample",
                claims: [
                    .init("user_id", .publicUserID), .init("email", .email),
                    .init("iat", .issuedAt), .init("exp", .expiresAt),
                    .init("session", .userAndSession), .init("epoch", .epoch),
                ]),
            identity: IdentityPolicy(nonce: .none),
            accounts: AccountPolicy(hasPublicID: true, claimsEmail: true),
            limits: [RateLimit(.adminLogin, per: .address, 3, in: .minutes(15))]),
        rules: RequestRules(bodyBytesMax: 1024, requiresHTTPS: true),
        endpoints: [
            Endpoint(.signIn, .post("/auth/apple"), needs: [.sessions, .identityProviders]) {
                call, auth in
                let input = SignIn.Input(
                    provider: "apple", idToken: try call.body.required("id_token"))
                return Answer(201, tokens(try auth.signIn(input, call.caller).tokens))
            },
            Endpoint(.refresh, .post("/auth/refresh"), needs: [.sessions]) { call, auth in
                let token = try call.body.required("refresh_token")
                return Answer(tokens(try auth.refresh(token, call.caller)))
            },
            // Sign-out requires the access token and ends the session of the refresh token.
            .signedIn(.signOut, .post("/auth/logout"), needs: [.sessions]) { call, _, auth in
                try auth.signOut(
                    refreshToken: try call.body.required("refresh_token"), scope: .session,
                    call.caller)
                return .noContent
            },
            .signedIn(.removeAccount, .delete("/auth/account")) { _, principal, auth in
                try auth.removeAccount(principal)
                return .noContent
            },
            // The application's own content, with the same authentication.
            .signedIn(.toggleFavorite, .post("/api/content/{id}/favorite")) {
                call, principal, _ in
                Answer([
                    "content": .string(call.parameter("id")),
                    "user": principal.user.publicID.map { .number(JSONNumber($0)) } ?? .null,
                    "sort": call.query("sort").map { .string($0) } ?? .null,
                ])
            },
            .optionallySignedIn(.showContent, .get("/api/content/{id}")) { call, principal, _ in
                Answer(["user": principal?.user.publicID.map { .number(JSONNumber($0)) } ?? .null])
            },
            Endpoint(.adminPage, .get("/admin/login")) { call, _ in
                .html(
                    200, "<form method=post action=/admin/login?next=\(call.query("next") ?? "/")>")
            },
            Endpoint(.adminLogin, .post("/admin/login"), body: .jsonOrForm) { call, auth in
                try auth.open(.adminLogin, counting: [(.address, call.caller.address)]).admit()
                guard try call.body.required("password").utf8.elementsEqual("open sesame".utf8)
                else { throw AuthError.accessToken(.invalid) }
                let cookie = Cookie("admin_session", "proof", maxAgeSeconds: 3600)
                return .redirect(to: call.query("next") ?? "/", cookies: [cookie])
            },
            .guarded(by: adminSession, .adminPage, .get("/admin")) { _, admin, _ in
                .text(200, "hello \(admin)")
            },
        ],
        errors: ErrorFormat { response, error, failed in
            if failed.operation == .adminPage, case .auth(.accessToken) = error {
                return .redirect(to: "/admin/login?next=\(failed.request.path)")
            }
            if case .request(.insecureScheme) = error { return .text(400, "HTTPS required") }
            return Answer(
                response.status, .json(["detail": .string(response.message)]),
                headers: response.headers)
        },
        settingNames: ["JWT_SECRET": "JWT_SECRET_KEY"])

    @Sendable private static func adminSession(_ call: Call, _ auth: AuthServices) throws -> String
    {
        guard call.cookie("admin_session") == "proof" else { throw AuthError.accessToken(.missing) }
        return "admin"
    }

    private static func tokens(_ tokens: SessionTokens?) -> JSON {
        guard let tokens else { return [:] }
        return [
            "access_token": .string(tokens.access.reveal()),
            "refresh_token": .string(tokens.refresh.reveal()),
            "id": tokens.user.publicID.map { .number(JSONNumber($0)) } ?? .null,
        ]
    }
}

// Operations that only this contract has.

extension AuthOperation {
    static let adminPage = AuthOperation("adminPage")
    static let showContent = AuthOperation("showContent")
    static let toggleFavorite = AuthOperation("toggleFavorite")
    static let removeAccount = AuthOperation("removeAccount")
}

extension AuthServices {
    /// A soft delete: the row stays, but its identities and its e-mail address are released.
    func removeAccount(_ principal: Principal) throws {
        let user = principal.user
        var writes = user.identities.map { identity in
            Write.delete(
                StoreLayout.identity(issuer: identity.issuer, subject: identity.subject),
                when: [.equals("user", .text(user.id.text))])
        }
        if let email = user.emailAddress {
            writes.append(.delete(StoreLayout.emailClaim(email), when: []))
        }
        writes.append(
            UserRecord.replacing(user) {
                $0.deletedAt = clock.now()
                $0.epoch += 1
            })
        try store.write(writes)
    }
}
