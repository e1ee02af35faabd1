internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import HTML

extension PageEndpoints {
    /// The page with the third-party programs that have access to the account.
    static let applications: [PageRoute] =
        AccountPage(
            name: .applications, operation: .pageApplications,
            show: { page, session, problem in
                try page.requireOAuth()
                let all = try page.auth.listApplications(session.principal)
                return page.applicationsPage(all, problem)
            },
            submit: { page, session in
                try page.requireOAuth()
                try page.auth.removeApplication(
                    try page.fields.required("client"), session.principal, session.caller)
                return page.redirect(to: .applications, .applicationRemoved)
            }
        ).routes
}

extension PageRequest {
    fileprivate func applicationsPage(
        _ all: [GrantedApplication], _ problem: PageProblem?
    ) -> Answer {
        let rows = HTML(joining: all.map(row))
        return show(
            .applicationsTitle, problem,
            about: [texts(all.isEmpty ? .applicationsNone : .applicationsAbout)],
            after: all.isEmpty ? "" : "<ul>\n\(rows)</ul>\n", links: [(.account, .accountBack)])
    }

    private func row(_ application: GrantedApplication) -> HTML {
        let since = texts(.applicationsSince, [("day", day(application.since))])
        let used = application.lastUsedAt.map {
            texts.html(.accountLastUsed, [("time", time($0))])
        }
        let words = application.scope.map { word in
            StandardScope(rawValue: word).map(text) ?? meaning(of: word)
        }
        let remove = html(
            PageForm(
                page: .applications, button: .applicationsRemove,
                hidden: [("client", application.client)], isMain: false, isDanger: true,
                label: texts(.applicationsRemoveThat, [("name", application.name)])))
        return """
            <li><span>\(application.name)<small>\(facts(["\(since)", used]))</small>\
            <small>\(words.joined(separator: "; "))</small></span>\(remove)</li>

            """
    }

    private func meaning(of word: String) -> String {
        let scopes = auth.oauthIfOn?.resources.flatMap(\.scopes) ?? []
        return scopes.first { $0.word == word }?.meaning.text(in: texts.language.rawValue) ?? word
    }
}
