package import AuthDomain
package import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import JSON
internal import Time

/// The administration of users: the list and the changes.
package struct UserEndpoints {
    /// The path of the list, such as `/auth/users`. A user is below it, by the ID that the contract
    /// shows.
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
                .administrator, isProven: isWhole),
            change(
                roleOperation, .delete("\(path)/{id}/admin"), .setAdmin(false), "removeAdmin",
                .administrator, isProven: isWhole),
        ] + (isWhole ? [role] : []) + actions.filter(\.isOwnEndpoint).map(endpoint)
    }

    /// Whether the contract has roles, and an administration beyond users.
    package var isWhole: Bool { actions.count > UserAction.basic.count }

    private var roleOperation: AuthOperation { isWhole ? .setRole : .setAdmin }

    private var role: Endpoint {
        .guarded(
            by: administrator(for: .setRole, .administrator), .setRole,
            .put("\(path)/{id}/role"), needs: [.adminPassword],
            selectedBy: DirectSelector("action", is: "setRole")
        ) { call, administrator, auth in
            let role = try call.body.only("role", "reason", "password").role()
            try confirm(call, administrator, auth, for: .setRole)
            return Answer(
                user(
                    try auth.administerUser(
                        call.parameter("id"), .setRole(role), because: try call.body.reason(),
                        by: administrator, call.caller)))
        }
    }

    private func endpoint(_ action: UserAction) -> Endpoint {
        .guarded(
            by: administrator(for: action.operation, action.role), action.operation,
            .post("\(path)/{id}/\(action.rawValue)"), needs: action.needs,
            selectedBy: DirectSelector("action", is: action.rawValue)
        ) { call, administrator, auth in
            let reason = try call.body.only("reason", "password", "method").reason()
            if action.needsProof {
                try confirm(call, administrator, auth, for: action.operation)
            }
            return try action.perform(
                call, on: call.parameter("id"), because: reason, by: administrator, auth)
        }
    }

    /// The administrator's password again, or an access token of a recent sign-in.
    func confirm(
        _ call: Call, _ administrator: Administrator, _ auth: AuthServices,
        for operation: AuthOperation
    ) throws {
        switch administrator {
        case .password where call.method.isSame(as: "DELETE"):
            // It has no body for the password.
            let session = try call.adminSession(auth)
            guard auth.clock.now() - session.createdAt < Self.recentSpan else {
                throw AuthError.session(.stepUpRequired(Self.recentProof))
            }
        case .password:
            let password = try call.body.required("password")
            try auth.adminLogin.confirm(password: password, call.caller)
        case .user:
            _ = try call.body.optional("password")
            let principal = try auth.authenticate(call.caller, for: operation)
            try auth.require(Self.recentProof, of: principal)
        }
    }

    private static let recentSpan = Span.minutes(15)
    package static let recentProof = ProofRequirement(.oneFactor, within: recentSpan)

    private func change(
        _ operation: AuthOperation, _ route: Route, _ change: AdministerUser.Change,
        _ action: String, _ role: AdminRole = .support, isProven: Bool = false
    ) -> Endpoint {
        .guarded(
            by: administrator(for: operation, role), operation, route,
            needs: isProven ? [.adminPassword] : [],
            selectedBy: DirectSelector("action", is: action)
        ) { call, administrator, auth in
            let reason = try call.body.reason()
            if isProven { try confirm(call, administrator, auth, for: operation) }
            return Answer(
                user(
                    try auth.administerUser(
                        call.parameter("id"), change, because: reason, by: administrator,
                        call.caller)))
        }
    }

    /// - Parameter role: what a user needs; the administrator's password can do everything.
    func administrator(
        for operation: AuthOperation, _ role: AdminRole = .viewer
    ) -> @Sendable (Call, AuthServices) throws -> Administrator {
        { call, auth in
            guard acceptsUsers else {
                _ = try call.adminSession(auth)
                return .password
            }
            if call.caller.bearer == .none, call.cookie(AdminCookie.name) != nil {
                _ = try call.adminSession(auth)
                return .password
            }
            let user = try auth.authenticate(call.caller, for: operation).user
            return try Self.administrator(user, role)
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
        return try auth.findUsers.all(limit: limit, after: try value("after"))
    }

    private func page(_ page: UserPage) -> JSON {
        var body: JSONObject = ["users": .array(page.users.map(user))]
        body["next"] = page.next.map { .string($0) }
        return .object(body)
    }
}
