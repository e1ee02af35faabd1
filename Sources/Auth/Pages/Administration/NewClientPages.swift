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
        let dialog = dialogHTML(
            "app", texts(.clientsNew),
            """
            \(formHTML(
                to: AdminConsole.clientsPath, isSensitive: true,
                """
                \(AdminLook.clientFields(texts))
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
        var grants: [Client.GrantType] = [.authorizationCode, .refreshToken]
        if body.has("devices") { grants.append(.deviceCode) }
        var members: JSONObject = [
            "client_name": .string(try body.required("client_name")),
            "redirect_uris": [.string(try body.required("redirect_uri"))],
            "token_endpoint_auth_method": .string(try body.required("method")),
            "grant_types": .array(grants.map { .string($0.rawValue) }),
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

extension AdminLook {
    /// The fields for a third-party app.
    ///
    /// - Parameter form: the refused form, whose values are shown again.
    static func clientFields(_ texts: AdminTexts, _ form: RefusedForm? = nil) -> HTML {
        func input(_ name: String, _ label: AdminText, _ attributes: HTML) -> HTML {
            """
            <div><label for="\(name)">\(texts(label))</label>
            <input id="\(name)" name="\(name)" autocomplete="off" \(attributes)\
            \(form.map { " \($0.attributes(of: name))" } ?? HTML())></div>

            """
        }
        let methods: [(Client.Authentication, AdminText)] = [
            (.basic, .clientsWithSecret), (.none, .clientsWithoutSecret),
        ]
        let options = methods.map { ($0.rawValue, texts($1)) }
        let checked: HTML = form?.value(of: "devices") == nil ? HTML() : " checked"
        return """
            \(input("client_name", .clientsName, "required maxlength=\"100\""))\
            \(input(
                "redirect_uri", .clientsUri,
                """
                required maxlength="2000" spellcheck="false" \
                placeholder="https://app.example.com/back"
                """))\
            \(select("method", texts(.clientsMethod), options, form))\
            <div class="check"><input id="devices" name="devices" type="checkbox" value="on"\
            \(checked)><label for="devices">\(texts(.clientsDevices))</label></div>
            \(input("scope", .clientsScope, "maxlength=\"1000\" spellcheck=\"false\""))
            """
    }

    /// A field with a choice of values.
    static func select(
        _ name: String, _ label: String, _ options: [(value: String, text: String)],
        _ form: RefusedForm?
    ) -> HTML {
        let sent = form?.value(of: name)
        let choices = options.map { value, text in
            let selected: HTML = sent?.isSame(as: value) == true ? " selected" : HTML()
            return HTML("<option value=\"\(value)\"\(selected)>\(text)</option>")
        }
        return """
            <div><label for="\(name)">\(label)</label>
            <select id="\(name)" name="\(name)"\(form?.focus(on: name) ?? HTML())>\
            \(HTML(joining: choices))</select></div>

            """
    }
}
