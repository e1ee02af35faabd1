internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

/// The access that users have granted to clients, for administrators.
struct GrantEndpoints {
    let users: UserEndpoints

    var all: [Endpoint] { [ofUser, ofClient] }

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

    private var ofClient: Endpoint {
        Endpoint.guarded(
            by: users.administrator(for: .listClientUsers), .listClientUsers,
            .get("/auth/clients/{id}/users"), needs: [.oauth],
            selectedBy: DirectSelector("list", is: "clientUsers")
        ) { call, _, auth in
            try ClientEndpoints.requireOAuth(auth)
            let page = try auth.listClientUsers(
                of: call.parameter("id"),
                limit: try call.pageLimit(
                    ListClientUsers.pageStandard, max: ListClientUsers.pageMax),
                after: call.query("after"))
            var body: JSONObject = ["users": .array(page.users.map(LatchkeyBodies.clientUser))]
            body["next"] = page.next.map { .string($0) }
            return Answer(.object(body))
        }.behind(.oauth)
    }
}

extension LatchkeyBodies {
    fileprivate static func clientUser(_ listed: ClientUser) -> JSON {
        var body: JSONObject = ["id": .string(listed.user.id.text)]
        body["email"] = listed.user.email.map { .string($0) }
        body["displayName"] = listed.user.displayName.map { .string($0) }
        body["scope"] = .string(listed.scope.joined(separator: " "))
        body["resources"] = .array(listed.resources.map { .string($0) })
        body["since"] = .string(listed.since.iso8601Milliseconds)
        return .object(body)
    }
}
