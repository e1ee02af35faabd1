internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import JSON
internal import Time

extension AdminPage {
    /// One user: what is known, what can be done, and what happened.
    func userPage(_ user: InspectedUser) -> Answer {
        let isFirst = call.query("after") == nil
        let timeline = UserTimeline(page: self, user: user)
        return answer(
            title: name(user.user),
            """
            <div class="top"><h1>\(name(user.user))</h1>
            <span class="tags">\(tags(user.user))</span></div>
            \(profile(user))
            \(isFirst ? actions(user) : HTML())
            \(isFirst ? timeline.belongings : HTML())
            \(timeline.html(isFirst: isFirst))
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
            inspected.secondFactor.map(secondFactor) ?? "off")
        add("Created", time(user.createdAt))
        add("Changed", time(user.updatedAt))
        return "<dl>\n\(HTML(joining: rows))</dl>"
    }

    private func secondFactor(_ factor: SecondFactor) -> HTML {
        let removal: HTML =
            factor.removableFrom.map { ", can be removed from \(time($0)) on" } ?? HTML()
        return "since \(time(factor.enrolledAt))\(removal)"
    }

    // MARK: Actions

    private func actions(_ inspected: InspectedUser) -> HTML {
        let user = inspected.user
        let isOwn = administrator.isAccount(user)
        let offered = console.users.actions.filter { action in
            guard role >= action.role else { return false }
            return switch action {
            case .signOut: true
            case .disable: !user.isDisabled && !isOwn
            case .enable: user.isDisabled
            case .mailPasswordLink: user.login != nil && !user.isDisabled
            case .mailVerificationLink:
                user.emailAddress != nil && !user.isEmailVerified && !user.isDisabled
            case .removeSecondFactor: user.hasSecondFactor && !isOwn && !isWaiting(inspected)
            case .stopFactorRemoval: inspected.secondFactor?.removableFrom != nil && !isOwn
            case .removeMethod: removable(inspected).count > 1 && !isOwn
            case .removeApplication:
                auth.policy.oauth != nil && !inspected.applications.isEmpty
            case .setEmail: !user.isGuest && !isOwn
            case .setName: true
            case .export: true
            case .delete: !isOwn
            }
        }
        guard !offered.isEmpty else { return HTML() }
        let roles: HTML =
            console.users.isWhole && role >= .administrator && !user.isGuest && !isOwn
            ? roleHTML(user) : HTML()
        let (bad, others) = (
            offered.filter(\.isDestructive), offered.filter { !$0.isDestructive }
        )
        let destructive: HTML =
            bad.isEmpty
            ? HTML()
            : """
            <h2>What cannot be undone</h2>
            <div class="acts bad">
            \(HTML(joining: bad.map { html($0, inspected) }))</div>
            """
        return """
            <h2>Actions</h2>
            <div class="acts">
            \(HTML(joining: others.map { html($0, inspected) }))\(roles)</div>
            \(destructive)
            """
    }

    /// Whether the user can still stop the removal of the second factor.
    private func isWaiting(_ inspected: InspectedUser) -> Bool {
        inspected.secondFactor?.removableFrom.map { $0 > auth.clock.now() } ?? false
    }

    /// A further note about an action.
    private func note(_ action: UserAction, _ inspected: InspectedUser) -> String {
        guard action == .removeSecondFactor, inspected.secondFactor?.removableFrom == nil,
            let hours = auth.policy.secondFactors?.removalDelay.seconds, hours > 0
        else { return "" }
        return " It can be removed after \(hours / 3600) hours, unless the user signs in with it "
            + "or with a passkey."
    }

    private func html(_ action: UserAction, _ inspected: InspectedUser) -> HTML {
        let id = shownID(inspected.user)
        let style: HTML = action.isDestructive ? " class=\"bad\"" : HTML()
        let isSensitive = action.role == .administrator
        return """
            <details name="act"><summary>\(action.title)</summary><div class="sheet">
            <h3>\(action.title)</h3>
            <p class="soft">\(action.effect)\(note(action, inspected))</p>
            \(formHTML(
                to: "\(userPath(id))/\(action.rawValue)", isSensitive: isSensitive,
                """
                \(inputs(action, inspected))
                \(reasonHTML(action.rawValue))
                \(passwordHTML(isSensitive ? action.rawValue : nil))
                <button\(style)>\(action.title)</button>
                """))
            \(curl(
                action == .setEmail ? "PUT" : "POST",
                "\(console.users.path)/\(PercentEncoding.encode(id))/\(action.rawValue)",
                body(action)))
            </div></details>

            """
    }

    private func inputs(_ action: UserAction, _ inspected: InspectedUser) -> HTML {
        switch action {
        case .setEmail:
            return """
                <div><label for="email">New address</label>
                <input id="email" name="email" type="email" required maxlength="254" \
                autocomplete="off"></div>
                <div class="check"><input id="undo" name="undo" type="checkbox" value="none">
                <label for="undo">The mailbox was stolen: no way back</label></div>
                """
        case .setName:
            return """
                <div><label for="name">Name; empty for none</label>
                <input id="name" name="name" value="\(inspected.user.displayName ?? "")" \
                maxlength="100" autocomplete="off"></div>
                """
        case .removeMethod:
            let options = removable(inspected).map { HTML("<option>\($0)</option>") }
            return """
                <div><label for="method">Way to sign in</label>
                <select id="method" name="method">\(HTML(joining: options))</select></div>
                """
        case .removeApplication:
            let options = inspected.applications.map {
                HTML("<option value=\"\($0.id)\">\($0.name)</option>")
            }
            return """
                <div><label for="application">App</label>
                <select id="application" name="application">\(HTML(joining: options))\
                </select></div>
                """
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink,
            .removeSecondFactor, .stopFactorRemoval, .export, .delete:
            return HTML()
        }
    }

    /// Passkeys have their own list in the user's app.
    private func removable(_ inspected: InspectedUser) -> [String] {
        inspected.user.providers.filter { !$0.isSame(as: LinkedIdentity.passkeyProvider) }
            + (inspected.hasPassword ? [SignInMethod.passwordName] : [])
    }

    private func roleHTML(_ user: User) -> HTML {
        let options = [("", "none")] + AdminRole.allCases.map { ($0.rawValue, $0.rawValue) }
        let current = user.adminRole?.rawValue ?? ""
        let choices = options.map { value, name in
            let selected: HTML = value.isSame(as: current) ? " selected" : HTML()
            return HTML("<option value=\"\(value)\"\(selected)>\(name)</option>")
        }
        let id = shownID(user)
        return """
            <details name="act"><summary>Change the role</summary><div class="sheet">
            <h3>Change the role</h3>
            <p class="soft">A viewer sees; support also signs out, disables, enables and mails \
            links; an administrator does everything.\(auth.hasRiskyRole(user, .viewer)
                ? " This account has no second factor: whoever learns its password, or can read "
                + "its mail, has the role, too." : "")</p>
            \(formHTML(
                to: "\(userPath(id))/role", isSensitive: true,
                """
                <div><label for="role">Role</label>
                <select id="role" name="role">\(HTML(joining: choices))</select></div>
                \(reasonHTML("role"))
                \(passwordHTML("role"))
                <button>Change the role</button>
                """))
            \(curl(
                "PUT", "\(console.users.path)/\(PercentEncoding.encode(id))/role",
                json(["role": "viewer", "reason": "…"], needsProof: true)))
            </div></details>

            """
    }

    private func body(_ action: UserAction) -> String {
        var body: JSONObject = ["reason": "…"]
        if action == .setEmail { body["email"] = "…" }
        if action == .removeMethod { body["method"] = "…" }
        if action == .setName { body["name"] = "…" }
        if action == .removeApplication { body["application"] = "…" }
        return json(body, needsProof: action.role == .administrator)
    }
}

extension Administrator {
    func isAccount(_ other: User) -> Bool {
        if case .user(let user) = self { user.id == other.id } else { false }
    }
}
