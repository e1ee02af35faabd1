internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import Time

extension PageEndpoints {
    static let account: [PageRoute] =
        [
            .page(.account) { page in
                try page.signedIn(for: .listSessions) { session in
                    page.accountPage(
                        session.user, try page.auth.listSessions(session.principal))
                }
            },
            .page(.export) { page in
                try page.signedIn { session in
                    let export = try page.auth.exportAccount(
                        after: page.query("after"), session.caller)
                    return .download(export)
                }
            },
            .form(.pageRevokeSession, .revokeSession) { page in
                try page.signedIn(for: .revokeSession) { session in
                    try page.auth.revokeSession(
                        try page.fields.required("id"), session.principal, session.caller)
                    return page.redirect(to: .account, .revoked)
                }
            },
            .form(.pageAccount, .removeMethod) { page in
                try page.signedIn { session in
                    let tokens = try page.auth.removeMethod(
                        try page.fields.required("method"), session.caller)
                    return page.replaced(by: tokens, .methodRemoved)
                }
            },
            .form(.pageSignOut, .signOut) { page in
                let scope = try page.fields.choice("scope", SignOut.Scope.self) ?? .session
                guard let session = page.browserSession else {
                    return page.redirect(to: .signIn, .signedOut)
                }
                do throws(AuthError) {
                    try page.auth.signOut(
                        refreshToken: session.refresh, scope: scope, page.caller)
                } catch {
                    // It had ended before: the browser is signed out all the same.
                    guard case .refreshToken = error else { throw error }
                    return page.redirect(
                        to: .signIn, .signedOut, setting: page.freshCookies(nil))
                }
                return scope == .others
                    ? page.redirect(to: .account, .othersSignedOut)
                    : page.redirect(to: .signIn, .signedOut, setting: page.freshCookies(nil))
            },
        ] + settings.flatMap(\.routes)
}

extension PageRequest {
    /// After a change that ends every session, and opens one for this browser.
    func replaced(by tokens: SessionTokens, _ notice: PageNotice) -> Answer {
        redirect(to: .account, notice, setting: freshCookies(BrowserSession(tokens)))
    }

    fileprivate func accountPage(_ user: User, _ sessions: Sessions) -> Answer {
        let others = sessions.all.contains { $0.id != sessions.current }
        let adds = providerButtons(.providerAdd, isAddition: true) { user.subject(at: $0) == nil }
        return show(
            .accountTitle, nil, isWide: true,
            about: [texts(.accountHello, [("name", name(of: user))])],
            after: """
                <h2>\(texts(.accountProfile))</h2>
                \(profile(user))
                <h2>\(texts(.accountMethods))</h2>
                \(methods(user))
                \(adds)
                <h2>\(texts(.accountSessions))</h2>
                <ul>
                \(HTML(joining: sessions.all.map { row($0, isCurrent: $0.id == sessions.current) }))
                </ul>
                <div class="actions">
                \(signOutForm(.session, .accountSignOut))
                \(others ? signOutForm(.others, .accountSignOutOthers) : "")
                </div>
                <p class="links">\(link(.devices, .devicesTitle))</p>
                <h2>\(texts(.accountData))</h2>
                <p class="links">\(link(.export, .accountExport))\(link(.delete, .accountDelete))</p>
                """, links: [])
    }

    private func name(of user: User) -> String {
        user.displayName ?? user.email ?? texts(.accountGuest)
    }

    private func profile(_ user: User) -> HTML {
        var rows = HTML()
        func add(_ label: PageText, _ value: HTML) {
            rows.append("<dt>\(texts(label))</dt><dd>\(value)</dd>\n")
        }
        if let name = user.displayName { add(.accountName, "\(name)") }
        if let email = user.email {
            let state = texts(user.isEmailVerified ? .accountVerified : .accountUnverified)
            let confirm =
                user.isEmailVerified || user.emailAddress == nil
                ? "" : change(.confirmAddress, .confirmEmailTitle, .confirmEmailSubmit)
            let change =
                auth.policy.emailChanges == nil ? "" : change(.email, .accountChangeEmail)
            add(.fieldEmail, "\(email) <span class=\"tag\">\(state)</span>\(confirm)\(change)")
        }
        let factor = texts(user.hasSecondFactor ? .accountOn : .accountOff)
        add(
            .accountSecondFactor,
            "\(factor)\(change(.authenticator, .accountSecondFactorChange))")
        add(.accountSince, "\(Self.day(user.createdAt))")
        return "<dl>\n\(rows)</dl>"
    }

    private func change(
        _ page: PageName, _ label: PageText, _ text: PageText = .accountChange
    ) -> HTML {
        " <a href=\"\(address(page))\" aria-label=\"\(texts(label))\">\(texts(text))</a>"
    }

    private func methods(_ user: User) -> HTML {
        var rows = HTML()
        for identity in user.identities where !identity.isPasskey {
            let name = methodName(identity.provider)
            let edit: HTML
            if identity.isPassword {
                edit = link(.password, .accountPassword)
            } else if user.identities.count > 1 {
                edit = html(
                    PageForm(
                        page: .removeMethod, button: .passkeysRemove,
                        hidden: [("method", identity.provider)], isMain: false,
                        label: texts(.passkeysRemoveThat, [("name", name)])))
            } else {
                edit = ""
            }
            let address = identity.isPassword ? identity.subject : ""
            rows.append("<li><span>\(name)<small>\(address)</small></span>\(edit)</li>\n")
        }
        if !user.identities.contains(where: \.isPassword) {
            rows.append("<li>\(link(.password, .accountAddPassword))</li>\n")
        }
        if hasPasskeys {
            let count = user.identities.count { $0.isPasskey }
            rows.append(
                """
                <li><span>\(texts(.passkeysTitle))<small>\(count == 0 ? "" : "\(count)")</small>\
                </span>\(link(.passkeys, count == 0 ? .passkeysAdd : .accountChange))</li>

                """)
        }
        return "<ul>\n\(rows)</ul>"
    }

    /// Other providers are called as their settings name them.
    func methodName(_ provider: String) -> String {
        switch provider {
        case LinkedIdentity.passwordProvider: texts(.methodEmail)
        case LinkedIdentity.passkeyProvider: texts(.methodPasskey)
        case "apple": texts(.methodApple)
        case "google": texts(.methodGoogle)
        default: provider
        }
    }

    func deviceName(_ name: String?, _ userAgent: String?) -> String {
        name ?? userAgent.map { UserAgentName($0).text } ?? texts(.accountUnknownDevice)
    }

    private func row(_ session: Session, isCurrent: Bool) -> HTML {
        let device = deviceName(session.origin.deviceName, session.origin.userAgent)
        let used = texts(.accountLastUsed, [("time", Self.minute(session.lastUsedAt))])
        let place = [used, session.origin.address].compactMap(\.self).joined(separator: " · ")
        let end =
            isCurrent
            ? "<span class=\"tag\">\(texts(.accountCurrent))</span>"
            : html(
                PageForm(
                    page: .revokeSession, button: .accountRevoke,
                    hidden: [("id", session.id.text)], isMain: false,
                    label: texts(.accountRevokeThat, [("device", device)])))
        return "<li><span>\(device)<small>\(place)</small></span>\(end)</li>\n"
    }

    private func signOutForm(_ scope: SignOut.Scope, _ text: PageText) -> HTML {
        html(
            PageForm(
                page: .signOut, button: text, hidden: [("scope", scope.rawValue)], isMain: false))
    }

    static func day(_ instant: Instant) -> String { String(instant.iso8601Seconds.prefix(10)) }

    /// `2026-03-12 19:03 UTC`.
    static func minute(_ instant: Instant) -> String {
        let text = instant.iso8601Seconds
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
