package import AuthDomain
package import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Time

/// How administrators sign in and out: a page with a form, which a script can send as JSON as well.
enum AdminEndpoints {
    static let loginPath = "/auth/admin/login"

    static let all: [Endpoint] = [
        Endpoint(
            .adminLoginPage, .get(loginPath), selectedBy: DirectSelector("page", is: "login")
        ) { call, _ in
            .html(200, AdminPages.login(next: LocalPath(call.query("next"))))
        },
        Endpoint(
            .adminLogin, .post(loginPath), needs: [.adminPassword], body: .jsonOrForm
        ) { call, auth in
            let password = try call.body.required("password")
            let next = LocalPath(try call.body.text("next") ?? call.query("next"))
            let opened = try auth.adminLogin(
                password: password, replacing: call.cookie(AdminCookie.name), call.caller)
            return .redirect(to: next.text, cookies: [AdminCookie.holding(opened)])
        },
        Endpoint(.adminLogout, .post("/auth/admin/logout"), body: .jsonOrForm) { call, auth in
            try call.refuseForeignPage()
            try auth.adminLogout(call.cookie(AdminCookie.name), call.caller)
            return .redirect(to: loginPath, cookies: [AdminCookie.none])
        },
    ]
}

enum AdminCookie {
    static let name = "admin_session"

    static func holding(_ opened: AdminLogin.Output) -> Cookie {
        Cookie(name, opened.token, maxAgeSeconds: opened.lifetime.seconds)
    }

    static let none = Cookie(name, "", maxAgeSeconds: 0)
}

extension Endpoint {
    /// For browsers that are signed in with the administrator's password.
    package static func adminOnly(
        _ operation: AuthOperation, _ route: Route?, needs: Set<ServiceNeed> = [],
        body: BodyRule = .json, selectedBy selector: DirectSelector? = nil,
        _ perform: @escaping @Sendable (Call, AuthServices) throws -> Answer
    ) -> Endpoint {
        .guarded(
            by: { call, auth in try call.adminSession(auth) }, operation, route, needs: needs,
            body: body, selectedBy: selector
        ) { call, _, auth in try perform(call, auth) }
    }
}

extension Call {
    /// The session of the cookie `admin_session`. What changes something must come from a page of
    /// ours, because a browser sends the cookie with requests of sibling sites too.
    func adminSession(_ auth: AuthServices) throws -> AdminSession {
        let session = try auth.authenticateAdmin(cookie(AdminCookie.name))
        if !method.isSame(as: "GET") { try refuseForeignPage() }
        return session
    }
}
