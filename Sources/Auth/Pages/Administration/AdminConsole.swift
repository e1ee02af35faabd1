internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Time

/// The administrator's pages: the list of users, a page for each user with a timeline and possible
/// actions, and the state of the deployment.
///
/// They work without scripts. Each of their requests also exists in the JSON interface, and the
/// pages show it as a curl command.
struct AdminConsole {
    let pages: ContractPages
    /// The path of the list.
    var home: String { pages.home }
    var users: UserEndpoints { pages.users }

    static let path = ContractPages.administration
    static let userPath = path + "/users/{id}"
    static let systemPath = path + "/system"
    static let rotatePath = systemPath + "/rotate"
    static let resendRegistrationPath = path + "/registrations/resend"
    static let testMailPath = systemPath + "/test-mail"

    var all: [Endpoint] {
        [
            page(.adminUsersPage, .get(home)) { try $0.usersPage() },
            page(.inspectUser, .get(Self.userPath), needs: [.auditKeys]) { page in
                let id = page.call.parameter("id")
                return try page.userPage(
                    try page.auth.inspectUser(id, after: page.call.query("after")))
            },
        ] + users.actions.map(form) + (users.isWhole ? system + mails + clients : [])
    }

    private var system: [Endpoint] {
        [
            page(.inspectSystem, .get(Self.systemPath), needs: [.sessions, .auditKeys]) {
                try $0.systemPage()
            },
            // This endpoint is for direct invocation only.
            Endpoint(
                .checkHealth, nil, needs: [.sessions, .auditKeys],
                selectedBy: DirectSelector("action", is: "health")
            ) { _, auth in
                Answer(SystemHealth(try auth.inspectSystem(), AdminTexts(.english)).json)
            },
            form(
                .adminPageRotateKeys, Self.rotatePath, .administrator, needs: [.sessions]
            ) { page, reason in
                _ = try page.auth.rotateKeys(
                    because: reason, by: page.administrator, page.call.caller)
                return page.redirect(to: Self.systemPath, .keyMade)
            },
            form(
                .adminPageCreateUser, "\(Self.path)/users", .administrator, needs: [.mail, .links]
            ) { page, reason in
                let body = page.call.body
                let user = try page.auth.createUser(
                    try body.email(), displayName: try body.text("name"), because: reason,
                    by: page.administrator, page.call.caller)
                return page.redirect(to: page.userPath(page.shownID(user)), .created)
            },
            form(
                .adminPageResendRegistration, Self.resendRegistrationPath, .support,
                needs: [.mail, .links]
            ) { page, reason in
                let email = try page.call.body.email()
                try page.auth.mailRegistrationLink(
                    to: email, because: reason, by: page.administrator, page.call.caller)
                return page.redirect(to: home, .mailed, [("q", email.text)])
            },
            form(
                .adminPageTestMail, Self.testMailPath, .administrator, needs: [.mail, .links]
            ) { page, reason in
                let email = try page.call.body.email()
                let test = try page.auth.testMail(
                    to: email, because: reason, by: page.administrator, page.call.caller)
                return page.testMailPage(test, to: email)
            },
            form(
                .adminPageResendWebhook, "\(Self.path)/webhooks/{id}/resend", .support,
                needsReason: false
            ) { page, _ in
                let id = page.call.parameter("id")
                guard
                    try page.auth.resendWebhook(id, by: page.administrator, page.call.caller)
                else { throw RequestError.notFound }
                return page.redirect(to: Self.systemPath, .resent)
            },
            form(
                .adminPageSetRole, "\(Self.userPath)/role", .administrator
            ) { page, reason in
                let id = page.call.parameter("id")
                _ = try page.auth.administerUser(
                    id, .setRole(try page.call.body.role()), because: reason,
                    by: page.administrator, page.call.caller)
                return page.redirect(to: page.userPath(id), .roleSet)
            },
        ]
    }

    // MARK: Endpoints

    func page(
        _ operation: AuthOperation, _ route: Route, needs: ServiceNeeds = [],
        _ show: @escaping @Sendable (AdminPage) throws -> Answer
    ) -> Endpoint {
        endpoint(operation, route, .viewer, needs: needs, body: .none, show)
    }

    private func form(_ action: UserAction) -> Endpoint {
        form(
            action.pageOperation, "\(Self.userPath)/\(action.rawValue)", action.role,
            needs: action.needs
        ) { page, reason in
            let id = page.call.parameter("id")
            let answer = try action.perform(
                page.call, on: id, because: reason, by: page.administrator, page.auth)
            switch action {
            case .export: return answer
            case .delete: return page.redirect(to: home, .deleted)
            case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink, .setEmail,
                .setName, .removeSecondFactor, .stopFactorRemoval, .removeMethod,
                .removeApplication:
                let notice = answer.status == 202 ? .factorWaits : action.notice
                return page.redirect(to: page.userPath(id), notice)
            }
        }.behind(action.feature)
    }

    /// Every action that only the role `administrator` may perform needs a recent proof of
    /// identity.
    func form(
        _ operation: AuthOperation, _ path: String, _ role: AdminRole, needs: ServiceNeeds = [],
        needsReason: Bool = true,
        _ submit: @escaping @Sendable (AdminPage, _ reason: String?) throws -> Answer
    ) -> Endpoint {
        let isSensitive = role == .administrator
        return endpoint(
            operation, .post(path), role, needs: isSensitive ? needs.union(.adminPassword) : needs,
            body: .form
        ) { page in
            try page.checkForm()
            let reason = needsReason ? try page.call.body.requiredReason() : nil
            if isSensitive { try page.browser.confirm(page.call, page.auth) }
            return try submit(page, reason)
        }
    }

    private func endpoint(
        _ operation: AuthOperation, _ route: Route, _ role: AdminRole, needs: ServiceNeeds,
        body: BodyRule,
        _ answer: @escaping @Sendable (AdminPage) throws -> Answer
    ) -> Endpoint {
        // The session of a browser may have to be refreshed.
        let all = users.acceptsUsers ? needs.union([.sessions, .hooks]) : needs
        return Endpoint(
            operation, route, needs: all, body: body, access: .guarded,
            problemPage: { error, response, request, auth in
                let known = APIError(error)
                switch known {
                case .auth(.administration(.sessionMissing)), .auth(.accessToken(.missing)):
                    return AdminPages.redirectToLogin(from: request)
                case .request(.insecureScheme):
                    return AdminLook.overPlainHTTP(response, request, auth)
                case .auth, .request:
                    let failure = error as? PageFailure
                    var answer = problem(
                        known, response, request, auth, person: failure?.person)
                    answer.headers += response.headers
                    answer.cookies += failure?.cookies ?? []
                    return answer
                }
            }
        ) { call, auth in
            let meter = StoreMeter()
            let auth = auth.measured(by: meter)
            let browser = try AdminBrowser(call, auth, users, for: operation, role)
            return try browser.perform {
                try answer(AdminPage(self, call, auth, meter, browser))
            }
        }
    }
}

extension UserAction {
    fileprivate var pageOperation: AuthOperation {
        switch self {
        case .signOut: .adminPageSignOutUser
        case .disable: .adminPageDisableUser
        case .enable: .adminPageEnableUser
        case .mailPasswordLink: .adminPageMailPasswordLink
        case .mailVerificationLink: .adminPageMailVerification
        case .setEmail: .adminPageSetEmail
        case .setName: .adminPageSetName
        case .removeSecondFactor: .adminPageRemoveFactor
        case .stopFactorRemoval: .adminPageStopRemoval
        case .removeMethod: .adminPageRemoveMethod
        case .removeApplication: .adminPageRemoveApplication
        case .export: .adminPageExport
        case .delete: .adminPageDeleteUser
        }
    }
}

extension AuthOperation {
    static let checkHealth = administration("checkHealth")
    static let adminUsersPage = administration("adminUsersPage")
    static let adminMailsPage = administration("adminMailsPage")
    static let adminMailPage = administration("adminMailPage")
    static let adminMailContent = administration("adminMailContent")
    static let adminPageSignOutUser = administration("adminPageSignOutUser")
    static let adminPageDisableUser = administration("adminPageDisableUser")
    static let adminPageEnableUser = administration("adminPageEnableUser")
    static let adminPageMailPasswordLink = administration("adminPageMailPasswordLink")
    static let adminPageMailVerification = administration("adminPageMailVerification")
    static let adminPageSetEmail = administration("adminPageSetEmail")
    static let adminPageSetName = administration("adminPageSetName")
    static let adminPageCreateUser = administration("adminPageCreateUser")
    static let adminPageRemoveFactor = administration("adminPageRemoveFactor")
    static let adminPageStopRemoval = administration("adminPageStopRemoval")
    static let adminPageRemoveMethod = administration("adminPageRemoveMethod")
    static let adminPageRemoveApplication = administration("adminPageRemoveApplication")
    static let adminPageExport = administration("adminPageExport")
    static let adminPageDeleteUser = administration("adminPageDeleteUser")
    static let adminPageRotateKeys = administration("adminPageRotateKeys")
    static let adminPageResendRegistration = administration("adminPageResendRegistration")
    static let adminPageTestMail = administration("adminPageTestMail")
    static let adminPageResendWebhook = administration("adminPageResendWebhook")
    static let adminPageSetRole = administration("adminPageSetRole")
    static let adminClientsPage = administration("adminClientsPage")
    static let adminClientPage = administration("adminClientPage")
    static let adminClientUsersPage = administration("adminClientUsersPage")
    static let adminPageAddClient = administration("adminPageAddClient")
    static let adminPageDisableClient = administration("adminPageDisableClient")
    static let adminPageEnableClient = administration("adminPageEnableClient")
    static let adminPageReplaceClientSecret = administration("adminPageReplaceClientSecret")
    static let adminPageEndFormerClientSecret = administration("adminPageEndFormerClientSecret")
    static let adminPageEndClientGrants = administration("adminPageEndClientGrants")
    static let adminPageDeleteClient = administration("adminPageDeleteClient")
}
