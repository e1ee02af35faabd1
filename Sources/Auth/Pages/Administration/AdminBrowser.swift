internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import Time

/// The client of an administration page: a browser with the administrator's password, a browser
/// that is signed in on the pages for people as a user with a role, or a script with an access
/// token.
struct AdminBrowser {
    let administrator: Administrator
    /// The token of the forms. It is derived from a cookie that another site can neither read nor
    /// set. nil for a script, because no browser adds an access token automatically.
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
        if users.acceptsUsers, call.caller.bearer != .none {
            let principal = try auth.authenticate(call.caller, for: operation)
            administrator = try UserEndpoints.administrator(principal.user, role)
            user = UserSession(principal: principal, cookies: [])
            form = nil
            return
        }
        // Unless the issuer has HTTPS, browsers also keep the session cookie of the users' pages
        // over HTTP. So a connection without HTTPS is refused here.
        if !auth.issuer.hasPrefix("https://"), PlainConnection(call.request) != nil {
            throw RequestError.insecureScheme
        }
        if !call.method.isSame(as: "GET") { try call.refuseCrossOriginPage() }
        if let token = try Self.passwordToken(call, auth) {
            administrator = .password
            user = nil
            form = FormToken(cookie: token)
            return
        }
        guard users.acceptsUsers, let page = PageRequest(call.request, call.body, auth),
            let session = try page.session(for: operation)
        else { throw AuthError.administration(.sessionMissing) }
        do throws(AuthError) {
            administrator = try UserEndpoints.administrator(session.principal.user, role)
        } catch {
            throw PageFailure(
                error, cookies: session.cookies, person: page.name(of: session.user))
        }
        let present = FormToken(cookie: page.cookie(.form))
        let form = present ?? FormToken(random: auth.random)
        self.form = form
        let added = present == nil ? [page.cookies.holding(form.cookie, .form)] : []
        user = UserSession(principal: session.principal, cookies: session.cookies + added)
    }

    /// The token of an active session of the administrator's password. nil if there is no such
    /// session. An ended one, or a cookie that another subdomain has set, does not hide the user's
    /// own session.
    private static func passwordToken(
        _ call: Call, _ auth: AuthServices
    ) throws(AuthError) -> String? {
        do {
            return try call.findAdminSession(auth).token
        } catch {
            guard case .administration(.sessionMissing) = error else { throw error }
            return nil
        }
    }

    var isScript: Bool { user != nil && form == nil }

    /// Whether the user in this browser must prove again who they are before a sensitive action.
    func lacksProof(_ auth: AuthServices) -> Bool {
        guard let user, !isScript else { return false }
        return !auth.hasAdministratorProof(user.principal)
    }

    /// Requires the password again, or a proof with every factor of the account within the last 15
    /// minutes.
    func confirm(_ call: Call, _ auth: AuthServices) throws {
        guard let user else {
            let password = try call.body.required("password")
            try auth.adminLogin.confirm(password: password, call.caller)
            return
        }
        try auth.requireAdministratorProof(user.principal)
    }

    /// The answer of an error also sets the new cookies of a session.
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
