internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import JSON
internal import Time

/// The form for a third-party app, and the only pages with its secret.
extension AdminPage {
    var newClientForm: HTML {
        guard role == .administrator else { return HTML() }
        let methods: [(Client.Authentication, AdminText)] = [
            (.basic, .clientsWithSecret),
            (.none, .clientsWithoutSecret),
        ]
        let options = methods.map { method, text in
            HTML("<option value=\"\(method.rawValue)\">\(texts(text))</option>")
        }
        let dialog = dialogHTML(
            "app", texts(.clientsNew),
            """
            \(formHTML(
                to: AdminConsole.clientsPath, isSensitive: true,
                """
                <div><label for="app-name">\(texts(.clientsName))</label>
                <input id="app-name" name="client_name" required maxlength="100" \
                autocomplete="off"></div>
                <div><label for="app-uri">\(texts(.clientsUri))</label>
                <input id="app-uri" name="redirect_uri" required maxlength="2000" \
                autocomplete="off" spellcheck="false" \
                placeholder="https://app.example.com/back"></div>
                <div><label for="app-method">\(texts(.clientsMethod))</label>
                <select id="app-method" name="method">\(HTML(joining: options))</select></div>
                <div><label for="app-scope">\(texts(.clientsScope))</label>
                <input id="app-scope" name="scope" maxlength="1000" autocomplete="off" \
                spellcheck="false"></div>
                \(reasonHTML("app"))
                \(passwordHTML("app"))
                <button class="main">\(texts(.clientsAdd))</button>
                """))
            \(curl(
                "POST", "/auth/clients",
                json(
                    [
                        "client_name": "…", "redirect_uris": ["https://app.example.com/back"],
                        "grant_types": ["authorization_code", "refresh_token"], "reason": "…",
                    ], needsProof: true)))
            """)
        return "<div class=\"acts\">\(dialog)</div>"
    }

    func clientDescription() throws -> JSONObject {
        let body = call.body
        var members: JSONObject = [
            "client_name": .string(try body.required("client_name")),
            "redirect_uris": [.string(try body.required("redirect_uri"))],
            "token_endpoint_auth_method": .string(try body.required("method")),
            // An app gets tokens without a person only if its form asks for that grant type.
            "grant_types": .array(
                Client.GrantType.allCases.filter { !$0.needsTrust }.map { .string($0.rawValue) }),
        ]
        if let scope = try body.text("scope"), scope.utf8.contains(where: { $0 != 0x20 }) {
            members["scope"] = .string(scope)
        }
        return members
    }

    /// The only page with the new secret.
    func newSecretPage(_ client: JSON) -> Answer {
        let id = client["client_id"]?.stringValue ?? ""
        let end = client["formerSecretEndsAt"]?.stringValue.flatMap { Instant(iso8601: $0) }
        return answer(
            title: texts(.secretTitle),
            """
            <h1>\(texts(.secretTitle))</h1>
            <p class="says" role="status">\(end.map {
                texts(.secretFormerUntil, "time", texts.time($0))
            } ?? texts(.secretFormerEnded))</p>
            <dl>
            <dt>\(texts(.clientId))</dt><dd><code tabindex="0">\(id)</code></dd>
            \(secretRow(client))
            </dl>
            <p class="links"><a href="\(address(clientPath(id)))">\(id)</a>
            \(link(AdminConsole.clientsPath, .frameApps))</p>
            """)
    }

    private func secretRow(_ client: JSON) -> HTML {
        client["client_secret"]?.stringValue.map { secret in
            HTML(
                """
                <dt>\(texts(.secretSecret))</dt><dd><code tabindex="0">\(secret)</code>\
                <small>\(texts(.secretOnce))</small></dd>
                """)
        } ?? HTML()
    }

    /// The only page with the secret.
    func newClientPage(_ client: JSON) -> Answer {
        let id = client["client_id"]?.stringValue ?? ""
        let name = client["client_name"]?.stringValue ?? id
        let ready = texts(.secretReady, "name", name)
        return answer(
            title: texts(.clientsNew),
            """
            <h1>\(texts(.clientsNew))</h1>
            <p class="says" role="status">\(ready)</p>
            <dl>
            <dt>\(texts(.clientId))</dt><dd><code tabindex="0">\(id)</code></dd>
            \(secretRow(client))
            <dt>\(texts(.secretIssuer))</dt><dd><code tabindex="0">\(auth.issuer)</code></dd>
            </dl>
            <p class="links"><a href="\(address(clientPath(id)))">\(name)</a>
            \(link(AdminConsole.clientsPath, .frameApps))</p>
            """)
    }
}
