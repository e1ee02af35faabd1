package import AuthDomain
package import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import Time

/// The sign-in and sign-out of administrators: a page with a form. Scripts can send the same as
/// JSON.
package struct AdminEndpoints {
    package static let loginPath = "/auth/admin/login"

    /// Where the browser is redirected after a sign-in that did not start at another page. By
    /// default the login page itself, which shows that the browser is signed in.
    var home = loginPath

    var all: [Endpoint] {
        [
            Endpoint(
                .adminLoginPage, .get(Self.loginPath),
                selectedBy: DirectSelector("page", is: "login")
            ) { call, auth in
                let next = LocalPath(call.query("next"))
                if next.isRoot, try isSignedIn(call, auth) {
                    return AdminPages.signedIn(home: home.isSame(as: Self.loginPath) ? nil : home)
                }
                return AdminPages.login(next: next)
            },
            Endpoint(
                .adminLogin, .post(Self.loginPath), needs: [.adminPassword], body: .jsonOrForm
            ) { call, auth in
                let password = try call.body.required("password")
                let next = LocalPath(try call.body.text("next") ?? call.query("next"))
                let opened = try auth.adminLogin(
                    password: password, replacing: call.cookie(AdminCookie.name), call.caller)
                return .redirect(
                    to: next.isRoot ? home : next.text, cookies: [AdminCookie.holding(opened)])
            },
            Endpoint(.adminLogout, .post("/auth/admin/logout"), body: .jsonOrForm) { call, auth in
                try call.refuseCrossOriginPage()
                try auth.adminLogout(call.cookie(AdminCookie.name), call.caller)
                return .redirect(to: Self.loginPath, cookies: [AdminCookie.none])
            },
        ]
    }

    private func isSignedIn(_ call: Call, _ auth: AuthServices) throws -> Bool {
        do throws(AuthError) {
            _ = try auth.authenticateAdmin(call.cookie(AdminCookie.name))
            return true
        } catch .administration(.sessionMissing) {
            return false
        }
    }
}

package enum AdminCookie {
    package static let name = "admin_session"

    static func holding(_ opened: AdminLogin.Output) -> Cookie {
        Cookie(name, opened.token, maxAgeSeconds: opened.lifetime.seconds)
    }

    static let none = Cookie(name, "", maxAgeSeconds: 0)
}

extension Endpoint {
    /// For browsers that are signed in with the administrator's password.
    package static func adminOnly(
        _ operation: AuthOperation, _ route: Route?, needs: ServiceNeeds = [],
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
    /// The session of the cookie `admin_session`. Requests that change something must come from the
    /// same origin, because a browser sends the cookie with requests from other subdomains too.
    package func adminSession(_ auth: AuthServices) throws -> AdminSession {
        let session = try auth.authenticateAdmin(cookie(AdminCookie.name))
        if !method.isSame(as: "GET") { try refuseCrossOriginPage() }
        return session
    }
}
