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
                    return AdminPages.signedIn(
                        call.request, home: home.isSame(as: Self.loginPath) ? nil : home,
                        app: auth.appName)
                }
                return AdminPages.login(
                    200, call.request, next: next, server: ServerOfPage(auth))
            },
            Endpoint(
                .adminLogin, .post(Self.loginPath), needs: [.adminPassword], body: .jsonOrForm
            ) { call, auth in
                let password = try call.body.required("password")
                let next = LocalPath(try call.body.text("next") ?? call.query("next"))
                let opened = try auth.adminLogin(
                    password: password, replacing: call.adminTokens(auth), call.caller)
                return .redirect(
                    to: next.isRoot ? home : next.text,
                    cookies: [AdminCookie(auth).holding(opened)] + call.formerAdminCookie(auth))
            },
            Endpoint(.adminLogout, .post("/auth/admin/logout"), body: .jsonOrForm) { call, auth in
                try call.refuseCrossOriginPage()
                for token in call.adminTokens(auth) { try auth.adminLogout(token, call.caller) }
                return .redirect(
                    to: Self.loginPath,
                    cookies: [AdminCookie(auth).removed] + call.formerAdminCookie(auth))
            },
        ]
    }

    private func isSignedIn(_ call: Call, _ auth: AuthServices) throws -> Bool {
        do throws(AuthError) {
            _ = try call.findAdminSession(auth)
            return true
        } catch .administration(.sessionMissing) {
            return false
        }
    }
}

/// The cookie of an administrator's session.
package struct AdminCookie {
    package let name: String

    /// The cookie's name over HTTP, and in contracts with apps that use this name. In other
    /// contracts it is the former name, which is accepted for one more version.
    static let plainName = "admin_session"

    package init(_ auth: AuthServices) {
        let hasPrefix = auth.policy.admin.hasHostCookie && auth.issuer.hasPrefix("https://")
        name = (hasPrefix ? "__Host-" : "") + Self.plainName
    }

    func holding(_ opened: AdminLogin.Output) -> Cookie {
        Cookie(name, opened.token, maxAgeSeconds: opened.lifetime.seconds)
    }

    var removed: Cookie { Cookie(name, "", maxAgeSeconds: 0) }
}

extension Endpoint {
    /// An endpoint for browsers that are signed in with the administrator's password.
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
    /// The session of the administrator's cookie. Requests that change something must come from the
    /// same origin, because a browser sends the cookie with requests from other subdomains too.
    package func adminSession(_ auth: AuthServices) throws -> AdminSession {
        let session = try findAdminSession(auth).session
        if !method.isSame(as: "GET") { try refuseCrossOriginPage() }
        return session
    }

    /// - Returns: also the token of the cookie. Another subdomain can set the cookie without the
    ///   prefix. Such a cookie has no session, and the cookie with a session is still found.
    package func findAdminSession(
        _ auth: AuthServices
    ) throws(AuthError) -> (session: AdminSession, token: String) {
        for token in adminTokens(auth) {
            do throws(AuthError) {
                return (try auth.authenticateAdmin(token), token)
            } catch .administration(.sessionMissing) {
                continue
            }
        }
        throw .administration(.sessionMissing)
    }

    /// The values of the cookies that may hold an administrator's session.
    func adminTokens(_ auth: AuthServices) -> [String] {
        let name = AdminCookie(auth).name
        let names = name.isSame(as: AdminCookie.plainName) ? [name] : [name, AdminCookie.plainName]
        return names.compactMap { cookie($0) }
    }

    /// Removes a cookie with the former name, if the browser has one.
    fileprivate func formerAdminCookie(_ auth: AuthServices) -> [Cookie] {
        let isFormer = !AdminCookie(auth).name.isSame(as: AdminCookie.plainName)
        guard isFormer, cookie(AdminCookie.plainName) != nil else { return [] }
        return [Cookie(AdminCookie.plainName, "", maxAgeSeconds: 0)]
    }
}
