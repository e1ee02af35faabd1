internal import AuthDomain
internal import AuthOperations
internal import HTML
internal import Time

extension PageEndpoints {
    static let account: [Endpoint] = [
        .page(.account, needs: needs) { page in
            guard let session = try page.session(for: .listSessions) else {
                return page.redirect(
                    to: .signIn,
                    setting: page.browserSession == nil
                        ? [] : [page.cookies.removing(.session)])
            }
            return try session.perform {
                page.accountPage(
                    session.principal.user, try page.auth.listSessions(session.principal))
            }
        },
        .form(.pageRevokeSession, .revokeSession, needs: needs) { page in
            let session = try page.requiredSession(for: .revokeSession)
            return try session.perform {
                try page.auth.revokeSession(
                    try page.fields.required("id"), session.principal, session.caller)
                return page.redirect(to: .account, .revoked)
            }
        },
        .form(.pageSignOut, .signOut, needs: needs) { page in
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
                return page.redirect(to: .signIn, .signedOut, setting: page.freshCookies(nil))
            }
            return scope == .others
                ? page.redirect(to: .account, .othersSignedOut)
                : page.redirect(to: .signIn, .signedOut, setting: page.freshCookies(nil))
        },
    ]
}

extension PageRequest {
    func accountPage(_ user: User, _ sessions: Sessions) -> Answer {
        let others = sessions.all.contains { $0.id != sessions.current }
        return answer(
            title: .accountTitle, isWide: true,
            """
            <div class="top"><h1>\(texts(.accountTitle))</h1>
            <span class="soft">\(texts(.accountHello, [("name", name(of: user))]))</span></div>
            \(notice)
            <h2>\(texts(.accountProfile))</h2>
            \(profile(user))
            <h2>\(texts(.accountMethods))</h2>
            \(methods(user))
            \(providerButtons(.providerAdd, addingTo: user))
            <h2>\(texts(.accountSessions))</h2>
            <ul>
            \(HTML(joining: sessions.all.map { row($0, isCurrent: $0.id == sessions.current) }))
            </ul>
            <div class="actions">
            \(signOutForm(.session, .accountSignOut))
            \(others ? signOutForm(.others, .accountSignOutOthers) : "")
            </div>
            """)
    }

    private func name(of user: User) -> String {
        user.displayName ?? user.email ?? texts(.accountGuest)
    }

    private func profile(_ user: User) -> HTML {
        var rows: [HTML] = []
        func add(_ label: PageText, _ value: HTML) {
            rows.append("<dt>\(texts(label))</dt><dd>\(value)</dd>\n")
        }
        if let name = user.displayName { add(.accountName, "\(name)") }
        if let email = user.email {
            let state = texts(user.isEmailVerified ? .accountVerified : .accountUnverified)
            add(.fieldEmail, "\(email) <span class=\"tag\">\(state)</span>")
        }
        add(.accountSecondFactor, "\(texts(user.hasSecondFactor ? .accountOn : .accountOff))")
        add(.accountSince, "\(time(user.createdAt, isDay: true))")
        return "<dl>\n\(HTML(joining: rows))</dl>"
    }

    private func methods(_ user: User) -> HTML {
        let names = user.identities.map { identity in
            HTML(
                """
                <li><span>\(methodName(identity.provider))\
                <small>\(identity.isPassword ? identity.subject : "")</small></span></li>

                """)
        }
        guard !names.isEmpty else { return "<p class=\"soft\">\(texts(.accountNone))</p>" }
        return "<ul>\n\(HTML(joining: names))</ul>"
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

    private func row(_ session: Session, isCurrent: Bool) -> HTML {
        let device =
            session.origin.deviceName
            ?? session.origin.userAgent.map { UserAgentName($0).text }
            ?? texts(.accountUnknownDevice)
        let used = texts(.accountLastUsed, [("time", Self.minute(session.lastUsedAt))])
        let place = [used, session.origin.address].compactMap(\.self).joined(separator: " · ")
        let end: HTML =
            isCurrent
            ? "<span class=\"tag\">\(texts(.accountCurrent))</span>"
            : formHTML(
                to: .revokeSession,
                """
                <input type="hidden" name="id" value="\(session.id.text)">
                <button aria-label="\(texts(.accountRevokeThat, [("device", device)]))">\
                \(texts(.accountRevoke))</button>
                """)
        return "<li><span>\(device)<small>\(place)</small></span>\(end)</li>\n"
    }

    private func signOutForm(_ scope: SignOut.Scope, _ text: PageText) -> HTML {
        formHTML(
            to: .signOut,
            """
            <input type="hidden" name="scope" value="\(scope.rawValue)">
            <button>\(texts(text))</button>
            """)
    }

    private func time(_ instant: Instant, isDay: Bool) -> HTML {
        let text = Self.minute(instant)
        return """
            <time datetime="\(instant.iso8601Seconds)">\
            \(isDay ? String(text.prefix(10)) : text)</time>
            """
    }

    /// `2026-03-12 19:03 UTC`.
    private static func minute(_ instant: Instant) -> String {
        let text = instant.iso8601Seconds
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
