internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import HTML
internal import JSON
internal import Time

extension AdminPage {
    /// One user: what is known, what can be done, and what happened.
    func userPage(_ user: InspectedUser) -> Answer {
        let isFirst = call.query("after") == nil
        return answer(
            title: name(user.user),
            """
            <div class="top"><h1>\(name(user.user))</h1>
            <span class="tags">\(tags(user.user))</span></div>
            \(profile(user))
            \(isFirst ? actions(user.user) : HTML())
            <h2>Timeline</h2>
            \(UserTimeline(page: self, user: user).html(isFirst: isFirst))
            """)
    }

    private func profile(_ inspected: InspectedUser) -> HTML {
        let user = inspected.user
        var rows: [HTML] = []
        func add(_ label: String, _ value: HTML) {
            rows.append("<dt>\(label)</dt><dd>\(value)</dd>\n")
        }
        add("ID", "<code>\(user.id.text)</code>")
        if let id = user.publicID { add("Public ID", "<code>\(String(id))</code>") }
        if let name = user.displayName { add("Name", "\(name)") }
        if let email = user.email { add("E-mail address", "\(email)") }
        if let login = user.login, login != user.email { add("Signs in with", "\(login)") }
        let methods =
            user.providers + (inspected.hasPassword ? ["password"] : [])
        add("Ways to sign in", "\(methods.isEmpty ? "none" : methods.joined(separator: ", "))")
        add(
            "Second factor",
            inspected.secondFactorSince.map { "since \(time($0))" } ?? "off")
        add("Created", time(user.createdAt))
        add("Changed", time(user.updatedAt))
        return "<dl>\n\(HTML(joining: rows))</dl>"
    }

    // MARK: Actions

    private func actions(_ user: User) -> HTML {
        let isOwn = administrator.isAccount(user)
        let offered = UserAction.allCases.filter { action in
            switch action {
            case .signOut: true
            case .disable: !user.isDisabled && !isOwn
            case .enable: user.isDisabled
            case .delete: console.users.deletes && !isOwn
            }
        }
        return """
            <h2>Actions</h2>
            <div class="acts">
            \(HTML(joining: offered.map { html($0, user) }))</div>
            """
    }

    private func html(_ action: UserAction, _ user: User) -> HTML {
        let id = shownID(user)
        let field = "reason-\(action.rawValue)"
        let isByPassword = action.isDestructive && administrator == .password
        let password: HTML =
            isByPassword
            ? """
            <div><label for="password">Your password</label>
            <input id="password" name="password" type="password" required \
            autocomplete="current-password"></div>
            """ : HTML()
        let style: HTML = action.isDestructive ? " class=\"bad\"" : HTML()
        let path = "\(console.users.path)/\(PercentEncoding.encode(id))/\(action.rawValue)"
        return """
            <details><summary>\(action.title)</summary>
            <p class="soft">\(action.effect)</p>
            \(formHTML(
                to: "\(userPath(id))/\(action.rawValue)",
                """
                <div><label for="\(field)">Reason, for the audit log</label>
                <input id="\(field)" name="reason" required maxlength="200"></div>
                \(password)
                <button\(style)>\(action.title)</button>
                """))
            \(curl("POST", path, body(isByPassword)))
            </details>

            """
    }

    private func body(_ hasPassword: Bool) -> String {
        var body: JSONObject = ["reason": "…"]
        if hasPassword, !console.users.acceptsUsers { body["password"] = "…" }
        return " --json " + Self.quoted(String(decoding: body.serialized, as: UTF8.self))
    }
}

extension Administrator {
    func isAccount(_ other: User) -> Bool {
        if case .user(let user) = self { user.id == other.id } else { false }
    }
}

extension UserAction {
    var title: String {
        switch self {
        case .signOut: "Sign out everywhere"
        case .disable: "Disable"
        case .enable: "Enable"
        case .delete: "Delete"
        }
    }

    var effect: String {
        switch self {
        case .signOut: "Ends every session. The user can sign in again."
        case .disable: "Ends every session, and refuses every sign-in."
        case .enable: "Allows sign-in again. Earlier sessions stay ended."
        case .delete: "Ends the account and erases its data. This cannot be undone."
        }
    }
}
