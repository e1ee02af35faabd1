internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Time

/// The administrator's pages: the users, and each of them with a timeline and what can be done.
///
/// They work without scripts, and each of their requests is also one of the JSON interface, which
/// the pages show as a command of curl.
struct AdminConsole {
    /// The path of the list.
    let home: String
    let users: UserEndpoints

    static let path = "/admin/ui"
    static let userPath = path + "/users/{id}"

    var all: [Endpoint] {
        [
            page(.adminUsersPage, .get(home)) { try $0.usersPage() },
            page(.inspectUser, .get(Self.userPath), needs: [.auditKeys]) { page in
                let id = page.call.parameter("id")
                return page.userPage(
                    try page.auth.inspectUser(id, after: page.call.query("after")))
            },
        ] + UserAction.allCases.filter { users.deletes || $0 != .delete }.map(form)
    }

    // MARK: Endpoints

    private func page(
        _ operation: AuthOperation, _ route: Route, needs: ServiceNeeds = [],
        _ show: @escaping @Sendable (AdminPage) throws -> Answer
    ) -> Endpoint {
        endpoint(operation, route, needs: needs, body: .none) { call, administrator, auth in
            let meter = ReadMeter()
            return try show(
                AdminPage(
                    console: self, call: call, auth: auth.measured(by: meter), meter: meter,
                    administrator: administrator))
        }
    }

    private func form(_ action: UserAction) -> Endpoint {
        let operation = action.pageOperation
        return endpoint(
            operation, .post("\(Self.userPath)/\(action.rawValue)"), needs: action.needs,
            body: .form
        ) { call, administrator, auth in
            let page = AdminPage(
                console: self, call: call, auth: auth, meter: ReadMeter(),
                administrator: administrator)
            try page.checkForm()
            // As the form asks for it; a script may leave it out.
            let reason = try call.body.requiredReason()
            if action.isDestructive {
                try users.confirm(call, administrator, auth, for: operation)
            }
            let id = call.parameter("id")
            _ = try auth.administerUser(
                id, action.change, because: reason, by: administrator, call.caller)
            return action == .delete
                ? page.redirect(to: home, .deleted)
                : page.redirect(to: page.userPath(id), action.notice)
        }
    }

    private func endpoint(
        _ operation: AuthOperation, _ route: Route, needs: ServiceNeeds, body: BodyRule,
        _ answer: @escaping @Sendable (Call, Administrator, AuthServices) throws -> Answer
    ) -> Endpoint {
        let administrator = users.administrator(for: operation)
        return Endpoint(
            operation, route, needs: needs, body: body, access: .guarded,
            problemPage: { error, response, request, _ in
                switch APIError(error) {
                case .auth(.administration(.sessionMissing)), .auth(.accessToken(.missing)):
                    return AdminPages.redirectToLogin(from: request)
                case .auth, .request:
                    var answer = AdminLook.problem(
                        response, request, home: home, users: Self.path)
                    answer.headers += response.headers
                    return answer
                }
            }
        ) { call, auth in
            try answer(call, try administrator(call, auth), auth)
        }
    }
}

/// What an administrator can do to an account.
enum UserAction: String, CaseIterable {
    case signOut = "signout"
    case disable, enable, delete

    var change: AdministerUser.Change {
        switch self {
        case .signOut: .signOut
        case .disable: .disable
        case .enable: .enable
        case .delete: .delete
        }
    }

    var isDestructive: Bool { self == .delete }

    var needs: ServiceNeeds { self == .delete ? Self.deletionNeeds : [] }

    static let deletionNeeds: ServiceNeeds = [
        .sessions, .adminPassword, .notices, .erasure, .hooks,
    ]

    var notice: AdminNotice {
        switch self {
        case .signOut: .signedOut
        case .disable: .disabled
        case .enable: .enabled
        case .delete: .deleted
        }
    }

    var pageOperation: AuthOperation {
        switch self {
        case .signOut: .adminPageSignOutUser
        case .disable: .adminPageDisableUser
        case .enable: .adminPageEnableUser
        case .delete: .adminPageDeleteUser
        }
    }
}

/// What a page says about the request before the redirect.
enum AdminNotice: String {
    case signedOut, disabled, enabled, deleted

    var text: String {
        switch self {
        case .signedOut: "Every session of the user has ended."
        case .disabled: "The user is disabled: every session has ended."
        case .enabled: "The user can sign in again."
        case .deleted: "The account is deleted, and its data is being erased."
        }
    }
}

extension Fields {
    private static let reasonBytesMax = 500

    /// An administrator's reason, for the audit log.
    func reason() throws(RequestError) -> String? {
        guard let reason = try optional("reason") else { return nil }
        guard reason.utf8.count <= Self.reasonBytesMax else {
            throw .invalidField("reason", .tooLong(bytesMax: Self.reasonBytesMax))
        }
        let printable = reason.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(printable))
    }

    fileprivate func requiredReason() throws(RequestError) -> String {
        guard let reason = try reason(), reason.utf8.contains(where: { $0 != 0x20 }) else {
            throw .missingField("reason")
        }
        return reason
    }
}

extension AuthOperation {
    static let adminUsersPage = page("adminUsersPage")
    static let adminPageSignOutUser = page("adminPageSignOutUser")
    static let adminPageDisableUser = page("adminPageDisableUser")
    static let adminPageEnableUser = page("adminPageEnableUser")
    static let adminPageDeleteUser = page("adminPageDeleteUser")

    private static func page(_ name: String) -> AuthOperation {
        AuthOperation(name, servedBy: "admin", counting: [], audited: .others)
    }
}
