internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// The apps of others, which may ask users for access.
extension AdminConsole {
    static let clientsPath = path + "/clients"
    static let clientPath = clientsPath + "/{id}"

    var clients: [Endpoint] {
        [
            page(.adminClientsPage, .get(Self.clientsPath), needs: [.oauth]) {
                try $0.clientsPage()
            },
            page(.adminClientPage, .get(Self.clientPath), needs: [.oauth]) {
                try $0.clientPage()
            },
            page(.adminClientUsersPage, .get("\(Self.clientPath)/users"), needs: [.oauth]) {
                try $0.clientUsersPage()
            },
            form(
                .adminPageAddClient, Self.clientsPath, .administrator, needs: [.oauth]
            ) { page, reason in
                try page.requireOAuth()
                return page.newClientPage(
                    try page.auth.administerClients.add(
                        try page.clientDescription(), because: reason, by: page.administrator,
                        page.call.caller))
            },
            form(
                .adminPageReplaceClientSecret, "\(Self.clientPath)/secret", .administrator,
                needs: [.oauth]
            ) { page, reason in
                try page.requireOAuth()
                return page.newSecretPage(
                    try page.auth.administerClients.replaceSecret(
                        of: page.call.parameter("id"),
                        try page.call.body.choice("former", AdministerClients.FormerSecret.self)
                            ?? .kept,
                        because: reason, by: page.administrator, page.call.caller))
            },
        ].map { $0.behind(.oauth) } + AdministerClients.Change.allCases.map(form)
    }

    private func form(_ change: AdministerClients.Change) -> Endpoint {
        form(
            change.pageOperation, "\(Self.clientPath)/\(change.rawValue)", .administrator,
            needs: [.oauth]
        ) { page, reason in
            try page.requireOAuth()
            let id = page.call.parameter("id")
            try page.auth.administerClients.change(
                id, change, because: reason, by: page.administrator, page.call.caller)
            return page.redirect(
                to: change == .delete ? Self.clientsPath : page.clientPath(id), change.notice)
        }.behind(.oauth)
    }
}

extension AdministerClients.Change {
    fileprivate var pageOperation: AuthOperation {
        switch self {
        case .disable: .adminPageDisableClient
        case .enable: .adminPageEnableClient
        case .endFormerSecret: .adminPageEndFormerClientSecret
        case .endGrants: .adminPageEndClientGrants
        case .delete: .adminPageDeleteClient
        }
    }

    fileprivate var notice: AdminNotice {
        switch self {
        case .disable: .appDisabled
        case .enable: .appEnabled
        case .endFormerSecret: .appSecretEnded
        case .endGrants: .appGrantsEnded
        case .delete: .appDeleted
        }
    }

    fileprivate var button: (title: String, about: String) {
        switch self {
        case .disable: ("Disable", "Its tokens are dead, and it gets none, until it is enabled.")
        case .enable: ("Enable", "It can ask for access, and what was granted is alive again.")
        case .endFormerSecret: ("End the former secret", "Only the present one is valid then.")
        case .endGrants:
            (
                "End all access",
                "Its tokens are dead for all users, and users are asked again. It keeps its secret."
            )
        case .delete: ("Delete", "This cannot be undone. Users must allow a new one again.")
        }
    }
}

extension AdminPage {
    private static let pageLimit: Int64 = 100

    func requireOAuth() throws(RequestError) {
        guard auth.policy.oauth != nil else { throw .notFound }
    }

    func clientPath(_ id: String) -> String {
        "\(AdminConsole.clientsPath)/\(PercentEncoding.encode(id))"
    }

    fileprivate func clientsPage() throws -> Answer {
        try requireOAuth()
        let page = try auth.administerClients.list(
            limit: Self.pageLimit, after: call.query("after"))
        let rows = page.clients.map { listed -> HTML in
            let about = facts(listed).joined(separator: " · ")
            return """
                <li><span><a href="\(address(clientPath(listed.id)))">\(listed.name)</a>\
                <small>\(about)</small></span><span class="tags">\(tags(listed))</span></li>

                """
        }
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"soft\">No app of others can ask for access.</p>"
            : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
        let next = page.next.map { older($0, AdminConsole.clientsPath) }
        return answer(
            title: "Apps",
            """
            <h1>Apps</h1>
            <p class="soft">Apps of others, which users can give access to their account. Those \
            that describe themselves at a URL are not listed.</p>
            \(list)
            \(next ?? HTML())
            \(newClientForm)
            \(curl("GET", "/auth/clients"))
            """)
    }

    private func facts(_ listed: ListedClient) -> [String] {
        let since = listed.registeredAt.map { $0.text("%Y-%m-%d") }
        let source =
            switch listed.source {
            case .settings: "OAUTH_CLIENTS"
            case .administrator: "added \(since ?? "")"
            case .registration: "registered itself \(since ?? "")"
            }
        return [listed.id, source]
    }

    private func tags(_ listed: ListedClient) -> HTML {
        var tags: [HTML] = []
        if listed.disabledAt != nil { tags.append("<span class=\"tag bad\">disabled</span>") }
        switch listed.description {
        case .client(let client):
            if client.isFirstParty { tags.append("<span class=\"tag\">our own</span>") }
            if !client.isConfidential { tags.append("<span class=\"tag\">public</span>") }
        case .excluded: tags.append("<span class=\"tag bad\">cannot be used</span>")
        }
        return HTML(joining: tags)
    }

    // MARK: One app

    fileprivate func clientPage() throws -> Answer {
        try requireOAuth()
        let listed = try auth.administerClients.find(call.parameter("id"))
        let facts = (rows(listed) + moments(listed)).filter { !$0.1.isEmpty }.map { name, values in
            HTML("<dt>\(name)</dt><dd>\(HTML(joining: values.map { "<div>\($0)</div>" }))</dd>\n")
        }
        return answer(
            title: listed.name,
            """
            <div class="top"><h1>\(listed.name)</h1>\(tags(listed))</div>
            <dl>
            \(HTML(joining: facts))</dl>
            \(actions(listed))
            <p class="links"><a href="\(address(clientUsersPath(listed.id)))">Users</a>
            <a href="\(address(AdminConsole.clientsPath))">Apps</a></p>
            """)
    }

    private func rows(_ listed: ListedClient) -> [(String, [String])] {
        switch listed.description {
        case .client(let client):
            [
                ("Client ID", [client.id]),
                ("Proves itself by", [client.authentication.rawValue]),
                ("Goes back to", client.redirectURIs.map(\.text)),
                ("Grants", client.grantTypes.map(\.rawValue)),
                ("May ask for", client.scope ?? ["everything"]),
                ("Servers", client.resources ?? ["all"]),
                ("Asks about tokens for", [client.introspects].compactMap(\.self)),
            ]
        case .excluded(_, let problem):
            [
                ("Client ID", [listed.id]),
                (
                    "Cannot be used",
                    [
                        "\(problem.member) \(problem.rule), by the settings of now",
                        "It is answered as an app that is not known.",
                    ]
                ),
            ]
        }
    }

    private func moments(_ listed: ListedClient) -> [(String, [String])] {
        func text(_ moment: Instant?) -> [String] {
            [moment?.text("%Y-%m-%d %H:%M")].compactMap { $0.map { "\($0) UTC" } }
        }
        return [
            ("Former secret valid until", text(listed.formerSecretEndsAt)),
            ("All access ended", text(listed.grantsEndedAt)),
        ]
    }

    private func changes(_ listed: ListedClient) -> [AdministerClients.Change] {
        guard listed.source != .settings else { return [.endGrants] }
        return [listed.disabledAt == nil ? .disable : .enable]
            + (listed.formerSecretEndsAt == nil ? [] : [.endFormerSecret]) + [.endGrants, .delete]
    }

    private func actions(_ listed: ListedClient) -> HTML {
        guard role == .administrator else { return HTML() }
        let settings: HTML =
            listed.source == .settings
            ? "<p class=\"soft\">It is described in <code>OAUTH_CLIENTS</code>.</p>\n" : HTML()
        var secret = HTML()
        if listed.source != .settings, case .client(let client) = listed.description,
            client.secret != nil
        {
            secret = secretForm(listed)
        }
        let all = changes(listed).map { change -> HTML in
            let name = change.rawValue
            let path = "\(clientPath(listed.id))/\(name)"
            let style: HTML = change == .enable ? " class=\"main\"" : " class=\"bad\""
            let request =
                change == .delete
                ? curl("DELETE", "/auth/clients/\(PercentEncoding.encode(listed.id))")
                : curl(
                    "POST", "/auth/clients/\(PercentEncoding.encode(listed.id))/\(name)",
                    json(["reason": "…"], needsProof: true))
            return """
                <details name="act"><summary>\(change.button.title)</summary><div class="sheet">
                <h2>\(change.button.title)</h2>
                <p class="soft">\(change.button.about)</p>
                \(formHTML(
                    to: path, isSensitive: true,
                    """
                    \(reasonHTML(name))
                    \(passwordHTML(name))
                    <button\(style)>\(change.button.title)</button>
                    """))
                \(request)
                </div></details>

                """
        }
        return "\(settings)<div class=\"acts\">\(secret)\(HTML(joining: all))</div>"
    }

    private func secretForm(_ listed: ListedClient) -> HTML {
        """
        <details name="act"><summary>New secret</summary><div class="sheet">
        <h2>New secret</h2>
        <p class="soft">It is shown once. The present one can stay valid for 30 days, until every \
        server of the app has the new one; one before that ends now.</p>
        \(formHTML(
            to: "\(clientPath(listed.id))/secret", isSensitive: true,
            """
            <div><label for="former">The present secret</label>
            <select id="former" name="former"><option value="kept">is valid for 30 days</option>
            <option value="ended">ends now: it is known to others</option></select></div>
            \(reasonHTML("secret"))
            \(passwordHTML("secret"))
            <button class="main">Make a secret</button>
            """))
        \(curl(
            "POST", "/auth/clients/\(PercentEncoding.encode(listed.id))/secret",
            json(["former": "kept", "reason": "…"], needsProof: true)))
        </div></details>

        """
    }

    // MARK: A new one

    private var newClientForm: HTML {
        guard role == .administrator else { return HTML() }
        let methods: [(Client.Authentication, String)] = [
            (.basic, "A secret: a web app with a server"),
            (.none, "Nothing: an app, a command line, a page without a server"),
        ]
        let options = methods.map { method, text in
            HTML("<option value=\"\(method.rawValue)\">\(text)</option>")
        }
        return """
            <div class="acts"><details name="act"><summary>New app</summary><div class="sheet">
            <h2>New app</h2>
            \(formHTML(
                to: AdminConsole.clientsPath, isSensitive: true,
                """
                <div><label for="app-name">Name</label>
                <input id="app-name" name="client_name" required maxlength="100" \
                autocomplete="off"></div>
                <div><label for="app-uri">Address to go back to</label>
                <input id="app-uri" name="redirect_uri" required maxlength="2000" \
                autocomplete="off" spellcheck="false" \
                placeholder="https://app.example.com/back"></div>
                <div><label for="app-method">It proves itself by</label>
                <select id="app-method" name="method">\(HTML(joining: options))</select></div>
                <div><label for="app-scope">It may ask for (optional; words of scopes)</label>
                <input id="app-scope" name="scope" maxlength="1000" autocomplete="off" \
                spellcheck="false"></div>
                \(reasonHTML("app"))
                \(passwordHTML("app"))
                <button class="main">Add</button>
                """))
            \(curl(
                "POST", "/auth/clients",
                json(
                    [
                        "client_name": "…", "redirect_uris": ["https://app.example.com/back"],
                        "grant_types": ["authorization_code", "refresh_token"], "reason": "…",
                    ], needsProof: true)))
            </div></details></div>
            """
    }

    fileprivate func clientDescription() throws -> JSONObject {
        let body = call.body
        var members: JSONObject = [
            "client_name": .string(try body.required("client_name")),
            "redirect_uris": [.string(try body.required("redirect_uri"))],
            "token_endpoint_auth_method": .string(try body.required("method")),
            // Tokens without a person are for those who ask for them by name.
            "grant_types": .array(
                Client.GrantType.allCases.filter { !$0.needsTrust }.map { .string($0.rawValue) }),
        ]
        if let scope = try body.text("scope"), scope.utf8.contains(where: { $0 != 0x20 }) {
            members["scope"] = .string(scope)
        }
        return members
    }

    /// The only page with the new secret.
    fileprivate func newSecretPage(_ client: JSON) -> Answer {
        let id = client["client_id"]?.stringValue ?? ""
        let end = client["formerSecretEndsAt"]?.stringValue
        return answer(
            title: "New secret",
            """
            <h1>New secret</h1>
            <p class="says" role="status">\(end.map { "The former one is valid until \($0)." }
                ?? "The former one is not valid any more.")</p>
            <dl>
            <dt>Client ID</dt><dd><code tabindex="0">\(id)</code></dd>
            \(secretRow(client))
            </dl>
            <p class="links"><a href="\(address(clientPath(id)))">\(id)</a>
            <a href="\(address(AdminConsole.clientsPath))">Apps</a></p>
            """)
    }

    private func secretRow(_ client: JSON) -> HTML {
        client["client_secret"]?.stringValue.map { secret in
            HTML(
                """
                <dt>Client secret</dt><dd><code tabindex="0">\(secret)</code>\
                <small>It is not shown again.</small></dd>
                """)
        } ?? HTML()
    }

    /// The only page with the secret.
    fileprivate func newClientPage(_ client: JSON) -> Answer {
        let id = client["client_id"]?.stringValue ?? ""
        return answer(
            title: "New app",
            """
            <h1>New app</h1>
            <p class="says" role="status">\(client["client_name"]?.stringValue ?? "") can ask \
            users for access now.</p>
            <dl>
            <dt>Client ID</dt><dd><code tabindex="0">\(id)</code></dd>
            \(secretRow(client))
            <dt>Issuer</dt><dd><code tabindex="0">\(auth.issuer)</code></dd>
            </dl>
            <p class="links"><a href="\(address(clientPath(id)))">\(id)</a>
            <a href="\(address(AdminConsole.clientsPath))">Apps</a></p>
            """)
    }
}
