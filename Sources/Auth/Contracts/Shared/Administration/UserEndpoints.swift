package import AuthDomain
package import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON
internal import Time

/// The administration of users: the list and the changes.
package struct UserEndpoints {
    /// The path of the list, such as `/auth/users`. The path of one user is this path and the ID
    /// that the contract shows.
    package let path: String
    /// Whether users with the flag `isAdmin` are administrators too.
    package let acceptsUsers: Bool
    package var actions = UserAction.basic
    let user: @Sendable (User) -> JSON

    var all: [Endpoint] {
        [
            .guarded(by: administrator(for: .listUsers), .listUsers, .get(path)) {
                call, _, auth in Answer(page(try users(call, auth)))
            },
            change(.disableUser, .post("\(path)/{id}/disable"), .disable, "disable"),
            change(.enableUser, .post("\(path)/{id}/enable"), .enable, "enable"),
            change(.signOutUser, .post("\(path)/{id}/signout"), .signOut, "signOut"),
            change(
                roleOperation, .put("\(path)/{id}/admin"), .setAdmin(true), "makeAdmin",
                .administrator),
            change(
                roleOperation, .delete("\(path)/{id}/admin"), .setAdmin(false), "removeAdmin",
                .administrator),
        ] + (isWhole ? [role, creation] : []) + actions.filter(\.isOwnEndpoint).map(endpoint)
    }

    /// Whether the contract has roles, and an administration beyond users.
    package var isWhole: Bool { actions.count > UserAction.basic.count }

    private var roleOperation: AuthOperation { isWhole ? .setRole : .setAdmin }

    private var role: Endpoint {
        guarded(
            .setRole, .put("\(path)/{id}/role"), .administrator,
            selectedBy: DirectSelector("action", is: "setRole")
        ) { call, administrator, auth in
            let role = try call.body.only("role", "reason", "password").role()
            return Answer(
                user(
                    try auth.administerUser(
                        call.parameter("id"), .setRole(role), because: try call.body.reason(),
                        by: administrator, call.caller)))
        }
    }

    private var creation: Endpoint {
        guarded(
            .createUser, .post(path), .administrator, needs: [.mail, .links],
            selectedBy: DirectSelector("action", is: "createUser")
        ) { call, administrator, auth in
            let body = try call.body.only("email", "displayName", "reason", "password")
            let created = try auth.createUser(
                try body.email(), displayName: try body.text("displayName"),
                because: try body.reason(), by: administrator, call.caller)
            return Answer(201, user(created))
        }
    }

    private func endpoint(_ action: UserAction) -> Endpoint {
        guarded(
            action.operation, .post("\(path)/{id}/\(action.rawValue)"), action.role,
            needs: action.needs, selectedBy: DirectSelector("action", is: action.rawValue)
        ) { call, administrator, auth in
            let reason = try call.body.only("reason", "password", "method", "name", "application")
                .reason()
            return try action.perform(
                call, on: call.parameter("id"), because: reason, by: administrator, auth)
        }.behind(action.feature)
    }

    private func change(
        _ operation: AuthOperation, _ route: Route, _ change: AdministerUser.Change,
        _ action: String, _ role: AdminRole = .support
    ) -> Endpoint {
        guarded(
            operation, route, role, selectedBy: DirectSelector("action", is: action)
        ) { call, administrator, auth in
            Answer(
                user(
                    try auth.administerUser(
                        call.parameter("id"), change, because: try call.body.reason(),
                        by: administrator, call.caller)))
        }
    }

    // MARK: Who may

    /// An endpoint for administrators. If only the role `administrator` may use it, it needs a
    /// recent proof of identity too.
    func guarded(
        _ operation: AuthOperation, _ route: Route, _ role: AdminRole, needs: ServiceNeeds = [],
        selectedBy selector: DirectSelector,
        _ perform: @escaping @Sendable (Call, Administrator, AuthServices) throws -> Answer
    ) -> Endpoint {
        .guarded(
            by: administrator(for: operation, role), operation, route,
            needs: isSensitive(role) ? needs.union(.adminPassword) : needs,
            selectedBy: selector, perform)
    }

    private func isSensitive(_ role: AdminRole) -> Bool { isWhole && role == .administrator }

    /// - Parameter role: the role that a user needs. With the administrator's password, everything
    ///   is allowed.
    func administrator(
        for operation: AuthOperation, _ role: AdminRole = .viewer
    ) -> @Sendable (Call, AuthServices) throws -> Administrator {
        { call, auth in
            if call.request.isOperators { return .operators }
            let hasToken = call.caller.bearer != .none
            guard acceptsUsers, hasToken || call.adminTokens(auth).isEmpty else {
                let session = try call.adminSession(auth)
                if isSensitive(role) { try confirm(session, call, auth) }
                return .password
            }
            let principal = try auth.authenticate(call.caller, for: operation)
            let administrator = try Self.administrator(principal.user, role)
            if isSensitive(role) {
                _ = try call.body.optional("password")
                try auth.requireAdministratorProof(principal)
            }
            return administrator
        }
    }

    /// Checks the administrator's password again.
    private func confirm(
        _ session: AdminSession, _ call: Call, _ auth: AuthServices
    ) throws {
        let needsPassword = !call.method.isSame(as: "DELETE")
        if needsPassword || call.body.members["password"] != nil {
            let password = try call.body.required("password")
            return try auth.adminLogin.confirm(password: password, call.caller)
        }
        // Some programs cannot send a body with DELETE. If such a request has no password, a recent
        // sign-in is required instead.
        let ageMax = Administrator.proofAgeMax
        guard auth.clock.now() - session.createdAt < ageMax else {
            throw AuthError.session(
                .stepUpRequired(ProofRequirement(.oneFactor, within: ageMax)))
        }
    }

    package static func administrator(
        _ user: User, _ role: AdminRole
    ) throws(AuthError) -> Administrator {
        guard let own = user.adminRole, own >= role else {
            throw .accessToken(.administratorsOnly)
        }
        return .user(user)
    }

    private func users(_ call: Call, _ auth: AuthServices) throws -> UserPage {
        func value(_ name: String) throws -> String? {
            let text = try call.query(name) ?? call.body.text(name)
            return text?.isEmpty == false ? text : nil
        }
        var limit = FindUsers.pageStandard
        if let text = try value("limit") {
            let range = 1...FindUsers.pageMax
            guard let number = Int64(text), range.contains(number) else {
                throw RequestError.invalidField("limit", .outOfRange(range))
            }
            limit = number
        }
        if let id = try value("id") { return try auth.findUsers.users(withID: id) }
        if let email = try value("email") { return try auth.findUsers.users(withEmail: email) }
        if let text = try value("search") {
            guard
                let page = try auth.findUsers.users(
                    beginningWith: text, limit: limit, after: try value("after"))
            else { throw RequestError.notFound }
            return page
        }
        return try auth.findUsers.all(limit: limit, after: try value("after"))
    }

    private func page(_ page: UserPage) -> JSON {
        var body: JSONObject = ["users": .array(page.users.map(user))]
        body["next"] = page.next.map { .string($0) }
        return .object(body)
    }
}
