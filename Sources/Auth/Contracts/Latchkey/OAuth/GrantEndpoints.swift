internal import AuthDomain
internal import AuthOperations
internal import JSON

/// What users have granted to clients, for administrators.
struct GrantEndpoints {
    let users: UserEndpoints

    var all: [Endpoint] { [ofUser] }

    private var ofUser: Endpoint {
        Endpoint.guarded(
            by: users.administrator(for: .listUserApplications), .listUserApplications,
            .get("\(users.path)/{id}/applications"), needs: [.oauth],
            selectedBy: DirectSelector("list", is: "applications")
        ) { call, _, auth in
            try ClientEndpoints.requireOAuth(auth)
            let all = try auth.listApplications(ofUser: call.parameter("id"))
            return Answer(["applications": .array(all.map(LatchkeyBodies.application))])
        }.behind(.oauth)
    }
}
