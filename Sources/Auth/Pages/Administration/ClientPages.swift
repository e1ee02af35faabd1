internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// The pages about third-party apps, which may ask users for access.
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

    fileprivate var title: AdminText {
        switch self {
        case .disable: .clientDisable
        case .enable: .clientEnable
        case .endFormerSecret: .clientEndFormerSecret
        case .endGrants: .clientEndGrants
        case .delete: .clientDelete
        }
    }

    fileprivate var effect: AdminText {
        switch self {
        case .disable: .clientDisableAbout
        case .enable: .clientEnableAbout
        case .endFormerSecret: .clientEndFormerSecretAbout
        case .endGrants: .clientEndGrantsAbout
        case .delete: .clientDeleteAbout
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
            ? "<p class=\"soft\">\(texts(.clientsNone))</p>"
            : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
        let next = page.next.map { older($0, AdminConsole.clientsPath) }
        return answer(
            title: texts(.clientsTitle),
            """
            <h1>\(texts(.clientsTitle))</h1>
            <p class="soft">\(texts(.clientsAbout))</p>
            \(newClientForm)
            \(list)
            \(next ?? HTML())
            \(curl("GET", "/auth/clients"))
            """)
    }

    private func facts(_ listed: ListedClient) -> [String] {
        let since = listed.registeredAt.map { texts.language.day($0) } ?? ""
        let source =
            switch listed.source {
            case .settings: "OAUTH_CLIENTS"
            case .administrator: texts(.clientsAdded, "day", since)
            case .registration: texts(.clientsRegistered, "day", since)
            }
        return [listed.id, source]
    }

    private func tags(_ listed: ListedClient) -> HTML {
        var tags: [HTML] = []
        if listed.disabledAt != nil { tags.append(tag(.tagDisabled, isBad: true)) }
        switch listed.description {
        case .client(let client):
            if client.isFirstParty { tags.append(tag(.tagOwnApp)) }
            if !client.isConfidential { tags.append(tag(.tagPublicApp)) }
        case .excluded: tags.append(tag(.tagUnusable, isBad: true))
        }
        return HTML(joining: tags)
    }

    // MARK: One app

    fileprivate func clientPage() throws -> Answer {
        try requireOAuth()
        let listed = try auth.administerClients.find(call.parameter("id"))
        let facts = (rows(listed) + moments(listed)).filter { !$0.1.isEmpty }.map {
            name, values -> HTML in
            let list = HTML(joining: values.map { "<div>\($0)</div>" })
            return HTML("<dt>\(texts(name))</dt><dd>\(list)</dd>\n")
        }
        return answer(
            title: listed.name,
            """
            <div class="top"><h1>\(listed.name)</h1>\(tags(listed))</div>
            <dl>
            \(HTML(joining: facts))</dl>
            \(actions(listed))
            <p class="links">\(link(clientUsersPath(listed.id), .clientUsers))
            \(link(AdminConsole.clientsPath, .frameApps))</p>
            """)
    }

    private func rows(_ listed: ListedClient) -> [(AdminText, [String])] {
        switch listed.description {
        case .client(let client):
            [
                (.clientId, [client.id]),
                (.clientAuthentication, [client.authentication.rawValue]),
                (.clientRedirects, client.redirectURIs.map(\.text)),
                (.clientGrants, client.grantTypes.map(\.rawValue)),
                (.clientScope, client.scope?.map(scope) ?? [texts(.clientAllScopes)]),
                (.clientServers, client.resources ?? [texts(.clientAllServers)]),
                (.clientIntrospects, [client.introspects].compactMap(\.self)),
            ]
        case .excluded(_, let problem):
            [
                (.clientId, [listed.id]),
                (
                    .clientUnusable,
                    [
                        texts(
                            .clientProblem, "member", problem.member, "rule",
                            texts.rule(problem) ?? problem.rule),
                        texts(.clientProblemAbout),
                    ]
                ),
            ]
        }
    }

    /// The scope, and whether this deployment lacks it: another spelling may be meant.
    private func scope(_ word: String) -> String {
        guard let oauth = auth.oauthIfOn, !oauth.isDefined(word) else { return word }
        return texts(.clientUnknownScope, "scope", word)
    }

    private func moments(_ listed: ListedClient) -> [(AdminText, [String])] {
        func text(_ moment: Instant?) -> [String] {
            [moment].compactMap { $0.map(texts.time) }
        }
        return [
            (.clientFormerUntil, text(listed.formerSecretEndsAt)),
            (.clientAccessEnded, text(listed.grantsEndedAt)),
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
            ? """
            <p class="soft">\(texts.html(
                .clientConfigured, "name", "<code>OAUTH_CLIENTS</code>"))</p>

            """ : HTML()
        var secret = HTML()
        if listed.source != .settings, case .client(let client) = listed.description,
            client.secret != nil
        {
            secret = secretForm(listed)
        }
        let forms = changes(listed).map { change -> (canBeUndone: Bool, html: HTML) in
            let name = change.rawValue
            let title = texts(change.title)
            let path = "\(clientPath(listed.id))/\(name)"
            let canBeUndone = change == .enable || change == .disable
            let style: HTML = canBeUndone ? " class=\"main\"" : " class=\"bad\""
            let request =
                change == .delete
                ? curl("DELETE", "/auth/clients/\(PercentEncoding.encode(listed.id))")
                : curl(
                    "POST", "/auth/clients/\(PercentEncoding.encode(listed.id))/\(name)",
                    json(["reason": "…"], needsProof: true))
            let dialog = dialogHTML(
                name, title,
                """
                <p>\(listed.name)</p>
                <p class="soft">\(texts(change.effect))</p>
                \(formHTML(
                    to: path, isSensitive: true,
                    """
                    \(reasonHTML(name))
                    \(passwordHTML(name))
                    <button\(style)>\(title)</button>
                    """))
                \(request)
                """)
            return (canBeUndone, dialog)
        }
        let others = HTML(joining: forms.filter { $0.canBeUndone }.map { $0.html })
        let destructive = HTML(joining: forms.filter { !$0.canBeUndone }.map { $0.html })
        let first: HTML =
            listed.source == .settings ? HTML() : "<div class=\"acts\">\(secret)\(others)</div>"
        return """
            \(settings)\(first)
            <h2>\(texts(.userFinal))</h2>
            <div class="acts bad">\(destructive)</div>
            """
    }

    private func secretForm(_ listed: ListedClient) -> HTML {
        dialogHTML(
            "secret", texts(.secretTitle),
            """
            <p>\(listed.name)</p>
            <p class="soft">\(texts(.secretAbout))</p>
            \(formHTML(
                to: "\(clientPath(listed.id))/secret", isSensitive: true,
                """
                \(AdminLook.select(
                    "former", texts(.secretPresent), texts.formerSecrets, nil))\
                \(reasonHTML("secret"))
                \(passwordHTML("secret"))
                <button class="main">\(texts(.secretSubmit))</button>
                """))
            \(curl(
                "POST", "/auth/clients/\(PercentEncoding.encode(listed.id))/secret",
                json(["former": "kept", "reason": "…"], needsProof: true)))
            """)
    }
}
