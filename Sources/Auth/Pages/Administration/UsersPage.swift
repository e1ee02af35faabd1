internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import JSON
internal import Time

extension AdminPage {
    private static let pageLimit: Int64 = 100

    /// The page with the newest users, or with the users that a search has found.
    func usersPage() throws -> Answer {
        let asked = Self.trimmed(call.query("q") ?? "")
        let (found, registration) = try find(asked, after: call.query("after"))
        // The number of all users is not shown beside the users that a search has found.
        let size = asked.isEmpty ? try total(atLeast: found.users.count) : HTML()
        let rows = (registration.map { [row($0)] } ?? []) + found.users.map(row)
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"soft\">\(texts(asked.isEmpty ? .usersNone : .usersUnknown))</p>"
            : """
            <h2>\(texts(asked.isEmpty ? .usersNewestFirst : .usersFound))</h2>
            <ul class="rows">
            \(HTML(joining: rows))</ul>
            """
        return answer(
            title: texts(.usersTitle),
            """
            <div class="top"><h1>\(texts(.usersTitle))</h1>\(size)</div>
            \(newUserForm)
            <form class="find" method="get" action="\(address(console.home))" role="search">
            \(locales)<div><label for="q">\(texts(
                auth.policy.accounts.isSearchable ? .usersSearch : .usersSearchExact))</label>
            <input id="q" name="q" value="\(asked)" minlength="2" maxlength="254" \
            spellcheck="false"></div>
            <button class="main">\(texts(.usersFind))</button>
            </form>
            \(list)
            \(registration.map(resendForm) ?? HTML())
            \(links(found.next, asked))
            \(curl("GET", console.users.path + query(asked)))
            """)
    }

    /// A form that is sent with GET replaces the query by its own fields.
    private var locales: HTML {
        guard let locales = call.request.locales else { return HTML() }
        return "<input type=\"hidden\" name=\"ui_locales\" value=\"\(locales)\">\n"
    }

    private var newUserForm: HTML {
        guard console.users.isWhole, role == .administrator else { return HTML() }
        let dialog = dialogHTML(
            "new", texts(.usersNew),
            """
            <p class="soft">\(texts(.usersNewAbout))</p>
            \(formHTML(
                to: "\(AdminConsole.path)/users", isSensitive: true,
                """
                <div><label for="new-email">\(texts(.usersEmail))</label>
                <input id="new-email" name="email" type="email" required maxlength="254" \
                autocomplete="off"></div>
                <div><label for="new-name">\(texts(.usersName))</label>
                <input id="new-name" name="name" maxlength="100" autocomplete="off"></div>
                \(reasonHTML("new"))
                \(passwordHTML("new"))
                <button class="main">\(texts(.usersCreate))</button>
                """))
            \(curl(
                "POST", console.users.path,
                json(["email": "…", "displayName": "…", "reason": "…"], needsProof: true)))
            """)
        return "<div class=\"acts\">\(dialog)</div>"
    }

    private static func trimmed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Housekeeping counts once a day. A count that is obviously out of date is not shown.
    private func total(atLeast listed: Int) throws(AuthError) -> HTML {
        guard let total = try auth.findUsers.total(), total.count >= max(listed, 1) else {
            return HTML()
        }
        let words = texts(
            .usersTotal, "count", "\(total.count)", "time", texts.time(total.countedAt))
        return "<small>\(words)</small>"
    }

    /// The text is tried as a whole address or an ID first, and then as a beginning.
    ///
    /// - Returns: the users, and the registration of a whole address that has no account.
    private func find(
        _ asked: String, after: String?
    ) throws(AuthError) -> (users: UserPage, registration: OpenRegistration?) {
        let finder = auth.findUsers
        if asked.isEmpty { return (try finder.all(limit: Self.pageLimit, after: after), nil) }
        var registration: OpenRegistration?
        if after == nil {
            let exact = try findExactly(asked)
            if !exact.users.isEmpty { return (exact, nil) }
            registration = try finder.registration(of: asked)
        }
        let others = try finder.users(
            beginningWith: asked, limit: Self.pageLimit, after: after)
        return (others ?? .empty, registration)
    }

    private func findExactly(_ asked: String) throws(AuthError) -> UserPage {
        asked.utf8.contains(UInt8(ascii: "@"))
            ? try auth.findUsers.users(withEmail: asked)
            : try auth.findUsers.users(withID: asked)
    }

    private func query(_ asked: String) -> String {
        guard !asked.isEmpty else { return "?limit=\(Self.pageLimit)" }
        let name =
            auth.policy.accounts.isSearchable
            ? "search" : asked.utf8.contains(UInt8(ascii: "@")) ? "email" : "id"
        return "?\(name)=\(PercentEncoding.encode(asked))"
    }

    private func links(_ next: String?, _ asked: String) -> HTML {
        let older: HTML =
            next.map { next in
                let question = asked.isEmpty ? [] : [("q", asked)]
                let words = texts(asked.isEmpty ? .frameOlder : .usersMore)
                return """
                    <a href="\(address(console.home, question + [("after", next)]))">\(words)</a>
                    """
            } ?? HTML()
        let isFirst = asked.isEmpty && call.query("after") == nil
        let newest = isFirst ? HTML() : link(console.home, .usersNewest)
        return "<p class=\"links\">\(newest)\(older)</p>"
    }

    private func row(_ registration: OpenRegistration) -> HTML {
        let about = texts(
            .usersOpen,
            [
                ("time", texts.time(registration.createdAt)),
                ("end", registration.endsAt.map(texts.time) ?? ""),
            ])
        return """
            <li><span>\(registration.email.text)<small>\(about)</small></span>\
            <span class="tags">\(tag(.tagUnverified))</span></li>

            """
    }

    private func resendForm(_ registration: OpenRegistration) -> HTML {
        guard role >= .support else { return HTML() }
        let dialog = dialogHTML(
            "again", texts(.usersAgain),
            """
            <p class="soft">\(texts(.usersAgainAbout))</p>
            \(formHTML(
                to: AdminConsole.resendRegistrationPath,
                """
                <input type="hidden" name="email" value="\(registration.email.text)">
                \(reasonHTML("again"))
                <button class="main">\(texts(.usersAgain))</button>
                """))
            """)
        return "<div class=\"acts\">\(dialog)</div>"
    }

    private func row(_ user: User) -> HTML {
        let id = shownID(user)
        let about = [user.email == nil ? nil : user.displayName, id].compactMap(\.self)
        return """
            <li><span><a href="\(address(userPath(id)))">\(texts.name(user))</a>\
            <small>\(about.joined(separator: " · "))</small></span>\
            <span class="tags">\(tags(user))</span><small>\(time(user.createdAt))</small></li>

            """
    }
}
