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
                try page.keepApp()
                return try page.signedIn(for: .listSessions) { session in
                    // A person who opens the account page has abandoned every waiting request.
                    page.forgetNext()
                    page.forgetReturn()
                    return page.accountPage(
                        session.user, try page.auth.listSessions(session.principal),
                        codes: try page.auth.recoveryCodeCount(of: session.user))
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
            .page(.signOut) { page in
                guard let session = try page.session(for: .showPage) else {
                    return page.redirect(to: .signIn, .signedOut)
                }
                var answer = page.signOutQuestion(session.user)
                answer.cookies += session.cookies
                return answer
            },
            .form(.pageSignOut, .signOut) { page in
                let scope = try page.fields.choice("scope", SignOut.Scope.self) ?? .session
                let others = scope == .others ? [] : page.endingAccounts()
                guard let session = page.browserSession else {
                    return page.redirect(to: .signIn, .signedOut, setting: others)
                }
                do throws(AuthError) {
                    try page.auth.signOut(
                        refreshToken: session.refresh, scope: scope, page.caller)
                } catch {
                    // If the session had already ended, the browser is signed out nevertheless.
                    guard case .refreshToken = error else { throw error }
                    return page.redirect(
                        to: .signIn, .signedOut, setting: page.endedCookies + others)
                }
                return scope == .others
                    ? page.redirect(to: .account, .othersSignedOut)
                    : page.redirect(
                        to: .signIn, .signedOut, setting: page.endedCookies + others)
            },
        ] + settings.flatMap(\.routes)
}

extension PageRequest {
    /// The answer after a change that ends every session and opens a new one for this browser.
    func replaced(by tokens: SessionTokens, _ notice: PageNotice) -> Answer {
        redirect(to: .account, notice, setting: freshCookies(BrowserSession(tokens)))
    }

    /// Asks before a sign-out that a link in an app requests, because any site can lead a browser
    /// here.
    fileprivate func signOutQuestion(_ user: User) -> Answer {
        let form = PageForm(
            page: .signOut, button: .accountSignOut,
            hidden: [("scope", SignOut.Scope.session.rawValue)])
        return show(
            .logoutTitle, nil,
            about: [texts(.consentAbout, [("account", user.email ?? name(of: user))])], [form],
            links: [(.account, .logoutStay)])
    }

    /// - Parameter codes: the number of recovery codes that are left.
    fileprivate func accountPage(_ user: User, _ sessions: Sessions, codes: Int?) -> Answer {
        let rows = HTML(
            joining: sessions.all.map { row($0, isCurrent: $0.id == sessions.current) })
        let others =
            sessions.all.contains { $0.id != sessions.current }
            ? "<div class=\"actions\">\(signOutOthers)</div>\n" : HTML()
        return show(
            .accountTitle, nil,
            after: """
                <h2>\(texts(.accountProfile))</h2>
                \(profile(user))
                <h2>\(texts(.accountMethods))</h2>
                \(methods(user, codes: codes))
                <h2>\(texts(.accountSessions))</h2>
                <ul>
                \(rows)</ul>
                \(others)<p class="links">\(link(.devices, .accountDevices))\(applications)\
                \(switchAccount)</p>
                <h2>\(texts(.accountData))</h2>
                <p class="links">\(link(.export, .accountExport))</p>
                <div class="apart">
                <h2>\(texts(.deleteTitle))</h2>
                <p class="soft">\(texts(.deleteAbout))</p>
                <p class="links"><a class="danger" href="\(address(.delete))">\
                \(texts(.accountDelete))</a></p>
                </div>
                """, links: [])
    }

    private var applications: HTML {
        auth.policy.oauth == nil ? "" : link(.applications, .applicationsTitle)
    }

    func name(of user: User) -> String {
        user.displayName ?? user.email ?? texts(.accountGuest)
    }

    private func profile(_ user: User) -> HTML {
        var rows = HTML()
        let name = user.displayName
        rows.append(
            row(
                .accountName, "\(name ?? "")",
                change(.name, .nameTitle, name == nil ? .providerAddShort : .accountChange)))
        if let email = user.email {
            // The page does not call the address "confirmed", because an operator may have vouched
            // for it.
            let state: HTML =
                user.isEmailVerified
                ? "" : " <span class=\"tag\">\(texts(.accountUnverified))</span>"
            let confirm =
                user.isEmailVerified || user.emailAddress == nil
                ? "" : change(.confirmAddress, .confirmEmailTitle, .confirmEmailSubmit)
            let change =
                auth.policy.emailChanges == nil ? "" : change(.email, .accountChangeEmail)
            rows.append(
                row(
                    .fieldEmail, "\(email)\(state)", "\(confirm)\(change)"))
        }
        rows.append(row(.accountSince, "\(day(user.createdAt))"))
        return "<ul>\n\(rows)</ul>"
    }

    /// A row with a fact about the account, and a link to change it.
    private func row(_ label: PageText, _ value: HTML, _ change: HTML = "") -> HTML {
        "<li><span><small>\(texts(label))</small>\(value)</span>\(change)</li>\n"
    }

    private func change(
        _ page: PageName, _ label: PageText, _ text: PageText = .accountChange
    ) -> HTML {
        "<a href=\"\(address(page))\" aria-label=\"\(texts(label))\">\(texts(text))</a>"
    }

    private func methods(_ user: User, codes: Int?) -> HTML {
        var rows = HTML()
        for identity in user.identities where !identity.isPasskey {
            rows.append(row(identity, of: user))
        }
        if !user.identities.contains(where: \.isPassword) {
            rows.append(
                """
                <li><span>\(texts(.fieldPassword))</span>\
                \(link(.password, .accountAddPassword))</li>

                """)
        }
        if hasPasskeys {
            let count = user.identities.count { $0.isPasskey }
            let about = count == 0 ? "" : texts(.accountPasskeys, [("count", "\(count)")])
            rows.append(
                """
                <li><span>\(texts(.passkeysTitle))<small>\(about)</small>\
                </span>\(link(.passkeys, count == 0 ? .passkeysAdd : .accountChange))</li>

                """)
        }
        rows.append(providerRows(for: user))
        let factor = user.hasSecondFactor
        let left = codes.map { texts(.accountCodes, [("count", "\($0)")]) }
        rows.append(
            """
            <li><span>\(texts(.accountSecondFactor))<small>\
            \(left ?? texts(factor ? .accountOn : .accountOff))</small></span>\
            \(change(
                .authenticator, .accountSecondFactorChange,
                factor ? .accountChange : .accountSetUp))\
            </li>

            """)
        return "<ul>\n\(rows)</ul>"
    }

    private func row(_ identity: LinkedIdentity, of user: User) -> HTML {
        let name = methodName(identity.provider)
        let edit: HTML
        if identity.isPassword {
            edit = link(.password, .accountPassword)
        } else if user.identities.count > 1 {
            edit = html(
                PageForm(
                    page: .removeMethod, button: .passkeysRemove,
                    hidden: [("method", identity.provider)], isMain: false, isDanger: true,
                    label: texts(.passkeysRemoveThat, [("name", name)])))
        } else {
            edit = ""
        }
        let address = identity.isPassword ? identity.subject : ""
        return """
            <li><span>\(PageMark.html(of: identity.provider))\(name)\
            <small>\(address)</small></span>\(edit)</li>

            """
    }

    /// The name for the user. A provider other than Apple and Google has the name in its settings.
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
        let used = texts.html(.accountLastUsed, [("time", time(session.lastUsedAt))])
        let place = facts([used, session.origin.address.map { "\($0)" }])
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

    private var signOutOthers: HTML {
        html(
            PageForm(
                page: .signOut, button: .accountSignOutOthers,
                hidden: [("scope", SignOut.Scope.others.rawValue)], isMain: false))
    }

    func day(_ instant: Instant) -> String { texts.language.day(instant) }

    /// The script shows the time in the time zone of the browser.
    func time(_ instant: Instant) -> HTML {
        usesScript = true
        let text = "\(texts.language.minute(instant))\u{A0}UTC"
        return "<time datetime=\"\(instant.iso8601Seconds)\">\(text)</time>"
    }

    func facts(_ facts: [HTML?]) -> HTML {
        HTML(joining: facts.compactMap(\.self), separator: " · ")
    }
}
