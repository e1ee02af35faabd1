internal import AuthDomain
internal import AuthOperations
internal import JSON

/// The sessions of a user, for administrators.
struct UserSessionEndpoints {
    let users: UserEndpoints

    var all: [Endpoint] {
        [
            .guarded(
                by: users.administrator(for: .listUserSessions), .listUserSessions,
                .get("\(users.path)/{id}/sessions"),
                selectedBy: DirectSelector("list", is: "sessions")
            ) { call, _, auth in
                let sessions = try auth.userSessions.list(of: call.parameter("id"))
                return Answer(["sessions": .array(sessions.map { LatchkeyBodies.session($0) })])
            },
            users.guarded(
                .endUserSession, .delete("\(users.path)/{id}/sessions/{session}", takesBody: true),
                .support, selectedBy: DirectSelector("action", is: "endUserSession")
            ) { call, administrator, auth in
                try auth.userSessions.end(
                    call.parameter("session"), of: call.parameter("id"),
                    because: try call.body.reason(), by: administrator, call.caller)
                return .noContent
            },
        ]
    }
}
