internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Time

/// The client of an administration page: a browser with the administrator's password, a browser that is
/// signed in on the pages for people as a user with a role, or a script with an access token.
struct AdminBrowser {
    let administrator: Administrator
    /// Derived from a cookie, which another site can neither read nor set. nil for a script, whose
    /// access token no browser adds by itself.
    let form: FormToken?
    private let user: UserSession?

    private struct UserSession {
        let principal: Principal
        /// New cookies, if this request refreshed the session.
        let cookies: [Cookie]
    }

    init(
        _ call: Call, _ auth: AuthServices, _ users: UserEndpoints, for operation: AuthOperation,
        _ role: AdminRole
    ) throws {
        let cookie = call.cookie(AdminCookie.name)
        guard users.acceptsUsers, call.caller.bearer == .none, cookie == nil,
            let page = PageRequest(call.request, call.body, auth),
            let session = try page.session(for: operation)
        else {
            (administrator, user) = try Self.other(call, auth, users, for: operation, role)
            form = call.caller.bearer == .none ? FormToken(cookie: cookie) : nil
            return
        }
        if !call.method.isSame(as: "GET") { try call.refuseCrossOriginPage() }
        administrator = try UserEndpoints.administrator(session.principal.user, role)
        let present = FormToken(cookie: page.cookie(.form))
        let form = present ?? FormToken(random: auth.random)
        self.form = form
        let added = present == nil ? [page.cookies.holding(form.cookie, .form)] : []
        user = UserSession(principal: session.principal, cookies: session.cookies + added)
    }

    private static func other(
        _ call: Call, _ auth: AuthServices, _ users: UserEndpoints, for operation: AuthOperation,
        _ role: AdminRole
    ) throws -> (Administrator, UserSession?) {
        guard users.acceptsUsers, call.caller.bearer != .none else {
            _ = try call.adminSession(auth)
            return (.password, nil)
        }
        let principal = try auth.authenticate(call.caller, for: operation)
        return (
            try UserEndpoints.administrator(principal.user, role),
            UserSession(principal: principal, cookies: [])
        )
    }

    var isScript: Bool { user != nil && form == nil }

    /// The password again, or a sign-in of the last 15 minutes.
    func confirm(_ call: Call, _ auth: AuthServices) throws {
        guard let user else {
            let password = try call.body.required("password")
            try auth.adminLogin.confirm(password: password, call.caller)
            return
        }
        try auth.require(UserEndpoints.recentProof, of: user.principal)
    }

    /// An error does not lose the new cookies of a session.
    func perform(_ body: () throws -> Answer) throws -> Answer {
        let cookies = user?.cookies ?? []
        do {
            var answer = try body()
            answer.cookies += cookies
            return answer
        } catch {
            throw cookies.isEmpty ? error : PageFailure(error, cookies: cookies)
        }
    }
}
