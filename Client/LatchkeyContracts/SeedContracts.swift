public import LatchkeyClient

extension ClientContract {
    /// Flat errors, `/api/v1`, tokens of one hour. Tokens are refreshed five minutes before they
    /// expire.
    public static let whateat = ClientContract(
        name: "whateat", margin: .seconds(300),
        routes: [
            .signIn: .post("/api/v1/auth/signin"), .refresh: .post("/api/v1/auth/refresh"),
            .signOut: .post("/api/v1/auth/signout"),
        ],
        names: Names(),
        refresh: RefreshRules(
            isResendSafe: true, signOutNeedsAccess: true, lifetime: 3600
        ) { status, problem in status == 401 && problem.code == "INVALID_REFRESH_TOKEN" }
    ) { body in
        guard let code = body["code"].text else { return nil }
        return Problem(code: code, message: body["error"].text)
    }

    /// Apple, and e-mail with password; `/api/v1`. A refresh does not describe the user.
    public static let livlogios = ClientContract(
        name: "livlogios",
        routes: [
            .signIn: .post("/api/v1/auth/apple"), .refresh: .post("/api/v1/auth/refresh"),
            .signOut: .post("/api/v1/auth/logout"), .register: .post("/api/v1/auth/register"),
            .verifyEmail: .post("/api/v1/auth/verify-email"),
            .resendVerification: .post("/api/v1/auth/resend-verification"),
            .logIn: .post("/api/v1/auth/login"),
            .forgotPassword: .post("/api/v1/auth/forgot-password"),
            .resetPassword: .post("/api/v1/auth/reset-password"),
            .changePassword: .post("/api/v1/auth/change-password"),
            .profile: .get("/api/v1/auth/me"), .deleteAccount: .delete("/api/v1/auth/account"),
            .listMethods: .get("/api/v1/auth/methods"),
            .linkIdentity: .post("/api/v1/auth/methods/apple"),
            .removeMethod: .delete("/api/v1/auth/methods/{id}"),
            .addPassword: .post("/api/v1/auth/methods/password"),
            .confirmPassword: .post("/api/v1/auth/methods/password/confirm"),
        ],
        names: Names {
            $0.idToken = "identityToken"
            $0.hasProvider = false
        },
        refresh: RefreshRules(
            isResendSafe: true, signOutNeedsAccess: true, lifetime: 3600
        ) { status, problem in status == 401 && problem.code == "INVALID_REFRESH_TOKEN" },
        problem: Problem.nested)

    /// A function that the app invokes through AWS. It has no sessions: every operation is
    /// `unsupported`.
    public static let photolala = ClientContract(
        name: "photolala", routes: [:], names: Names(),
        refresh: RefreshRules(
            isResendSafe: false, signOutNeedsAccess: false, lifetime: 0, isFinal: { _, _ in false }
        ), problem: Problem.nested)

    /// Apple; snake_case, integers as identifiers, errors in FastAPI's form. No sign-out on the
    /// server.
    public static let newsApp = ClientContract(
        name: "news_app",
        routes: [
            .signIn: .post("/auth/apple"), .refresh: .post("/auth/refresh"),
            .profile: .get("/auth/me"),
        ],
        names: Names {
            ($0.accessToken, $0.refreshToken) = ("access_token", "refresh_token")
            $0.idToken = "id_token"
            $0.hasProvider = false
            $0.hasPlainFullName = true
        },
        refresh: RefreshRules(
            isResendSafe: true, signOutNeedsAccess: false, lifetime: 1800
        ) { status, problem in status == 401 && problem.message != nil }
    ) { body in
        if let detail = body["detail"].text { return Problem(message: detail) }
        guard let first = body["detail"].items.first else { return nil }
        return Problem(
            code: first["type"].text, message: first["msg"].text,
            field: first["loc"].items.last?.text)
    }

    /// E-mail with password, links, second factors and devices. If a refresh token is used twice,
    /// the server ends every session of its user, so the client never repeats a refresh token whose
    /// outcome is unknown.
    public static let shell = ClientContract(
        name: "shell",
        routes: [
            .register: .post("/auth/register"), .logIn: .post("/auth/login"),
            .refresh: .post("/auth/refresh"), .signOut: .post("/auth/logout"),
            .forgotPassword: .post("/auth/forgot-password"),
            .resetPassword: .post("/auth/reset-password"),
            .changePassword: .post("/auth/change-password"),
            .requestConfirmation: .post("/auth/verify-email/send"),
            .confirmEmail: .post("/auth/verify-email"), .signIn: .post("/auth/signin"),
            .requestLink: .post("/auth/magic-link"), .redeemLink: .post("/auth/magic-link/verify"),
            .secondFactor: .post("/auth/second-factor"), .enrolFactor: .post("/auth/totp"),
            .confirmFactor: .post("/auth/totp/confirm"),
            .replaceRecoveryCodes: .post("/auth/totp/recovery-codes"),
            .removeFactor: .post("/auth/totp/remove"), .listDevices: .get("/auth/devices"),
            .trustDevice: .post("/auth/devices/{id}/trust"),
            .forgetDevice: .delete("/auth/devices/{id}"),
        ],
        names: Names {
            $0.confirmsPasswords = true
            $0.hasDevices = true
        },
        refresh: RefreshRules(
            isResendSafe: false, signOutNeedsAccess: true, lifetime: 900
        ) { status, problem in status == 401 && problem.code == "unauthorized" }
    ) { body in
        guard let code = body["error"].text else { return nil }
        return Problem(code: code, message: body["message"].text, field: body["field"].text)
    }
}
