internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import JOSE
internal import JSON
internal import Time

/// The clients of the provider, for administrators.
struct ClientEndpoints {
    let users: UserEndpoints

    private static let path = "/auth/clients"

    var all: [Endpoint] {
        [
            .guarded(
                by: users.administrator(for: .listClients), .listClients, .get(Self.path),
                needs: [.oauth], selectedBy: DirectSelector("list", is: "clients")
            ) { call, _, auth in
                try Self.requireOAuth(auth)
                let page = try auth.administerClients.list(
                    limit: try call.pageLimit(
                        AdministerClients.pageStandard, max: AdministerClients.pageMax),
                    after: call.query("after"))
                var body: JSONObject = ["clients": .array(page.clients.map(LatchkeyBodies.client))]
                body["next"] = page.next.map { .string($0) }
                return Answer(.object(body))
            },
            users.guarded(
                .addClient, .post(Self.path), .administrator, needs: [.oauth],
                selectedBy: DirectSelector("action", is: "addClient")
            ) { call, administrator, auth in
                try Self.requireOAuth(auth)
                var description = call.body.members
                for name in ["reason", "password", "action", "function"] {
                    description[name] = nil
                }
                return Answer(
                    201,
                    try auth.administerClients.add(
                        description, because: try call.body.reason(), by: administrator,
                        call.caller))
            },
            change(.disableClient, .post("\(Self.path)/{id}/disable"), .disable),
            change(.enableClient, .post("\(Self.path)/{id}/enable"), .enable),
            users.guarded(
                .replaceClientSecret, .post("\(Self.path)/{id}/secret"), .administrator,
                needs: [.oauth], selectedBy: DirectSelector("action", is: "replaceClientSecret")
            ) { call, administrator, auth in
                try Self.requireOAuth(auth)
                let body = try call.body.only("former", "reason", "password")
                return Answer(
                    try auth.administerClients.replaceSecret(
                        of: call.parameter("id"),
                        try body.choice("former", AdministerClients.FormerSecret.self) ?? .kept,
                        because: try body.reason(), by: administrator, call.caller))
            },
            change(
                .endFormerClientSecret, .post("\(Self.path)/{id}/end-former-secret"),
                .endFormerSecret),
            change(.endClientGrants, .post("\(Self.path)/{id}/end-grants"), .endGrants),
            change(.deleteClient, .delete("\(Self.path)/{id}", takesBody: true), .delete),
        ].map { $0.behind(.oauth) }
    }

    private func change(
        _ operation: AuthOperation, _ route: Route, _ change: AdministerClients.Change
    ) -> Endpoint {
        users.guarded(
            operation, route, .administrator, needs: [.oauth],
            selectedBy: DirectSelector("action", is: operation.name)
        ) { call, administrator, auth in
            try Self.requireOAuth(auth)
            let id = call.parameter("id")
            try auth.administerClients.change(
                id, change, because: try call.body.reason(), by: administrator, call.caller)
            // The answer of these changes has no body: a client that is described at a URL cannot
            // be shown here.
            guard change != .delete, change != .endGrants else { return .noContent }
            return Answer(LatchkeyBodies.client(try auth.administerClients.find(id)))
        }
    }

    /// If the provider is off, throws the same error as a contract without the provider.
    static func requireOAuth(_ auth: AuthServices) throws(RequestError) {
        guard auth.policy.oauth != nil else { throw .notFound }
    }
}

extension LatchkeyBodies {
    /// The body of a client, with the names of RFC 7591.
    static func client(_ listed: ListedClient) -> JSON {
        var body: JSONObject = [
            "client_id": .string(listed.id), "client_name": .string(listed.name),
            "source": .string(listed.source.rawValue),
        ]
        switch listed.description {
        case .client(let client): add(client, to: &body)
        case .excluded(let members, let problem):
            body["problem"] = .string("\(problem.member) \(problem.rule).")
            for (name, standard) in Self.standardMembers {
                body[name] = members[name] ?? standard
            }
        }
        body["registeredAt"] = listed.registeredAt.map { .string($0.iso8601Milliseconds) }
        for (name, moment) in [
            ("disabledAt", listed.disabledAt), ("formerSecretEndsAt", listed.formerSecretEndsAt),
            ("grantsEndedAt", listed.grantsEndedAt),
        ] {
            body[name] = moment.map { .string($0.iso8601Milliseconds) }
        }
        return .object(body)
    }

    /// The members that are shown if a client cannot be used, with the defaults of RFC 7591 section
    /// 2 and OpenID Connect Dynamic Client Registration 1.0 section 2.
    private static let standardMembers: [(String, JSON)] = [
        ("token_endpoint_auth_method", "client_secret_basic"), ("redirect_uris", []),
        ("grant_types", ["authorization_code"]), ("id_token_signed_response_alg", "RS256"),
    ]

    private static func add(_ client: Client, to body: inout JSONObject) {
        func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        body["token_endpoint_auth_method"] = .string(client.authentication.rawValue)
        body["redirect_uris"] = list(client.redirectURIs.map(\.text))
        body["grant_types"] = list(client.grantTypes.map(\.rawValue))
        body["id_token_signed_response_alg"] = .string(client.idTokenAlgorithm.rawValue)
        body["scope"] = client.scope.map { .string($0.joined(separator: " ")) }
        body["allowed_resources"] = client.resources.map(list)
        body["resource"] = client.introspects.map { .string($0) }
        if client.isFirstParty { body["first_party"] = true }
        if client.isFAPI2 { body["profile"] = "fapi2" }
        if client.requiresProof { body["dpop_bound_access_tokens"] = true }
        if !client.logoutRedirectURIs.isEmpty {
            body["post_logout_redirect_uris"] = list(client.logoutRedirectURIs.map(\.text))
        }
        body["backchannel_logout_uri"] = client.logoutURI.map { .string($0) }
    }
}
