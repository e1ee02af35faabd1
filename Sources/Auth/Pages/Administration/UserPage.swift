internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Bytes
internal import Contracts
internal import HTML
internal import JSON
internal import Time

extension AdminPage {
    /// The page of one user: the account's data, the possible actions, and the events.
    func userPage(_ user: InspectedUser) throws -> Answer {
        let isFirst = call.query("after") == nil
        let timeline = UserTimeline(
            page: self, user: user, makers: try auth.findUsers.makers(of: user.events))
        return answer(
            title: texts.name(user.user),
            """
            <div class="top"><h1>\(texts.name(user.user))</h1>
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
        func add(_ label: AdminText, _ value: HTML) {
            rows.append("<dt>\(texts(label))</dt><dd>\(value)</dd>\n")
        }
        add(.userId, "<code>\(user.id.text)</code>")
        if let id = user.publicID { add(.userPublicID, "<code>\(String(id))</code>") }
        if let name = user.displayName { add(.userName, "\(name)") }
        if let email = user.email { add(.userEmail, "\(email)") }
        if let login = user.login, login != user.email { add(.userLogin, "\(login)") }
        let methods =
            (user.providers + (inspected.hasPassword ? [SignInMethod.passwordName] : []))
            .map(texts.method)
        add(
            .userMethods,
            "\(methods.isEmpty ? texts(.userNoMethods) : Self.capitalized(methods))")
        add(
            .userSecondFactor,
            inspected.secondFactor.map(secondFactor) ?? "\(texts(.userOff))")
        add(.userCreated, time(user.createdAt))
        add(.userChanged, time(user.updatedAt))
        return "<dl>\n\(HTML(joining: rows))</dl>"
    }

    private static func capitalized(_ words: [String]) -> String {
        let text = words.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func secondFactor(_ factor: SecondFactor) -> HTML {
        let since = time(factor.enrolledAt)
        guard let from = factor.removableFrom else {
            return texts.html(.userSince, "time", since)
        }
        return texts.html(.userSinceRemovable, "time", since, "from", time(from))
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
            <h2>\(texts(.userFinal))</h2>
            <div class="acts bad">
            \(HTML(joining: bad.map { html($0, inspected) }))</div>
            """
        return """
            <h2>\(texts(.userActions))</h2>
            <div class="acts">
            \(HTML(joining: others.map { html($0, inspected) }))\(roles)</div>
            \(isOwn ? "<p class=\"soft\">\(texts(.userOwn))</p>" : HTML())
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
        return " " + texts(.userRemovalWait, "hours", "\(hours / 3600)")
    }

    private func html(_ action: UserAction, _ inspected: InspectedUser) -> HTML {
        let id = shownID(inspected.user)
        let style: HTML = action.isDestructive ? " class=\"bad\"" : HTML()
        let isSensitive = action.role == .administrator
        let title = texts(action.title)
        return dialogHTML(
            action.rawValue, title,
            """
            <p>\(texts.name(inspected.user))</p>
            <p class="soft">\(texts(action.effect))\(note(action, inspected))</p>
            \(formHTML(
                to: "\(userPath(id))/\(action.rawValue)", isSensitive: isSensitive,
                """
                \(AdminLook.concernedHTML(texts.name(inspected.user)))
                \(inputs(action, inspected))
                \(reasonHTML(action.rawValue))
                \(passwordHTML(isSensitive ? action.rawValue : nil))
                <button\(style)>\(title)</button>
                """))
            \(curl(
                action == .setEmail ? "PUT" : "POST",
                "\(console.users.path)/\(PercentEncoding.encode(id))/\(action.rawValue)",
                body(action)))
            """)
    }

    private func inputs(_ action: UserAction, _ inspected: InspectedUser) -> HTML {
        switch action {
        case .setEmail:
            return """
                <div><label for="email">\(texts(.userNewEmail))</label>
                <input id="email" name="email" type="email" required maxlength="254" \
                autocomplete="off"></div>
                <div class="check"><input id="undo" name="undo" type="checkbox" value="none">
                <label for="undo">\(texts(.userStolen))</label></div>
                """
        case .setName:
            return """
                <div><label for="name">\(texts(.userNewName))</label>
                <input id="name" name="name" value="\(inspected.user.displayName ?? "")" \
                maxlength="100" autocomplete="off"></div>
                """
        case .removeMethod:
            let options = removable(inspected).map { method, words in
                HTML("<option value=\"\(method)\">\(words)</option>")
            }
            return """
                <div><label for="method">\(texts(.userMethod))</label>
                <select id="method" name="method">\(HTML(joining: options))</select></div>
                """
        case .removeApplication:
            let options = inspected.applications.map {
                HTML("<option value=\"\($0.id)\">\($0.name)</option>")
            }
            return """
                <div><label for="application">\(texts(.userApp))</label>
                <select id="application" name="application">\(HTML(joining: options))\
                </select></div>
                """
        case .signOut, .disable, .enable, .mailPasswordLink, .mailVerificationLink,
            .removeSecondFactor, .stopFactorRemoval, .export, .delete:
            return HTML()
        }
    }

    /// The methods that can be removed, and their names. Each passkey counts as a method.
    private func removable(
        _ inspected: InspectedUser
    ) -> [(method: String, words: String)] {
        let passkey = LinkedIdentity.passkeyProvider
        let others =
            inspected.user.providers.filter { !$0.isSame(as: passkey) }
            + (inspected.hasPassword ? [SignInMethod.passwordName] : [])
        let passkeys = inspected.passkeys.map { known in
            let name = known.name.map { " \($0)" } ?? ""
            let since = texts(.userPasskeyAdded, "time", texts.time(known.createdAt))
            return ("\(passkey):\(known.id)", "\(texts.method(passkey))\(name), \(since)")
        }
        return others.map { ($0, texts.method($0)) } + passkeys
    }

    private func roleHTML(_ user: User) -> HTML {
        let current = user.adminRole?.rawValue ?? ""
        let choices = texts.roles.map { value, name in
            let selected: HTML = value.isSame(as: current) ? " selected" : HTML()
            return HTML("<option value=\"\(value)\"\(selected)>\(name)</option>")
        }
        let id = shownID(user)
        let title = texts(.userChangeRole)
        let risk = auth.hasRiskyRole(user, .viewer) ? " " + texts(.userRoleRisk) : ""
        return dialogHTML(
            "role", title,
            """
            <p>\(texts.name(user))</p>
            <p class="soft">\(texts(.userRoleAbout))\(risk)</p>
            \(formHTML(
                to: "\(userPath(id))/role", isSensitive: true,
                """
                \(AdminLook.concernedHTML(texts.name(user)))
                <div><label for="role">\(texts(.userRole))</label>
                <select id="role" name="role">\(HTML(joining: choices))</select></div>
                \(reasonHTML("role"))
                \(passwordHTML("role"))
                <button>\(title)</button>
                """))
            \(curl(
                "PUT", "\(console.users.path)/\(PercentEncoding.encode(id))/role",
                json(["role": "viewer", "reason": "…"], needsProof: true)))
            """)
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
