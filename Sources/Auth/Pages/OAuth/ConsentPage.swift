internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import Contracts
internal import HTML

extension PageRequest {
    /// The page that says who asks, for which access, to which account, and where the answer is
    /// sent.
    func consentPage(_ waiting: WaitingRequest, _ user: User) -> Answer {
        let asked = waiting.authorization
        let target = RedirectURI.target(of: asked.redirectURI)
        let isLocal = target.hasPrefix("http://")
        let account = user.email ?? name(of: user)
        var body: HTML = """
            <h1>\(texts(.consentTitle, [("name", waiting.client.name)]))</h1>
            <p>\(texts(.consentAbout, [("account", account)])) \
            \(switchAccount)</p>
            \(abilities(asked.disclosed, asked.resources))
            <p class="soft">\(texts(
                isLocal ? .consentLocal : .consentBack, [("address", target)]))</p>
            \(identity(of: waiting.client))

            """
        body.append(
            decisionForm(to: .consent, [("request", waiting.name), ("account", user.id.text)]))
        return answer(title: .consentShort, body)
    }

    /// The warning that nobody has checked the name is as prominent as the name.
    func identity(of client: Client) -> HTML {
        let isStranger = client.isSelfRegistered
        let style: HTML = isStranger ? "says bad" : "soft"
        let words = texts(isStranger ? .consentStranger : .consentWho, [("id", client.id)])
        return "<p class=\"\(style)\">\(words)</p>"
    }

    /// Both buttons have the same size, so that refusing is as easy as allowing.
    func decisionForm(
        to page: PageName, _ hidden: [(name: String, value: String)]
    ) -> HTML {
        let fields = HTML(
            joining: ([("form", formToken)] + hidden).map { name, value in
                "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
            })
        return """
            <form method="post" action="\(address(page))" accept-charset="utf-8">
            \(fields)<div class="ways">
            <button class="main" name="decision" value="allow">\(texts(.consentAllow))</button>
            <button name="decision" value="deny">\(texts(.consentDeny))</button>
            </div>
            </form>
            """
    }

    /// The description of what the client would be able to do.
    func abilities(_ scope: [String], _ resources: [String]) -> HTML {
        let oauth = auth.oauthIfOn
        let standard = scope.compactMap(StandardScope.init(rawValue:)).map(text)
        var html = list(.consentMay, [], standard)
        var said: [String] = []
        for resource in oauth?.resources ?? [] {
            let words = resource.scopes.filter { word in
                scope.contains(word.word) && !said.contains(word.word)
            }
            guard resources.contains(resource.uri) || !words.isEmpty else { continue }
            said += words.map(\.word)
            let name = resource.name.text(in: texts.language.rawValue) ?? resource.uri
            html.append(
                list(
                    words.isEmpty ? .consentReach : .consentMayAt,
                    [("resource", "\(name) (\(RedirectURI.target(of: resource.uri)))")],
                    words.map { $0.meaning.text(in: texts.language.rawValue) ?? $0.word }))
        }
        return standard.isEmpty && html.text.isEmpty ? "<p>\(texts(.consentNothing))</p>" : html
    }

    private func list(
        _ title: PageText, _ values: [(name: String, value: String)], _ lines: [String]
    ) -> HTML {
        guard !lines.isEmpty else {
            return title == .consentReach ? "<p>\(texts(title, values))</p>\n" : ""
        }
        let items = HTML(joining: lines.map { "<li>\($0)</li>\n" })
        return "<p>\(texts(title, values))</p>\n<ul class=\"plain\">\n\(items)</ul>\n"
    }

    func text(_ scope: StandardScope) -> String {
        switch scope {
        case .openid: texts(.consentOpenid)
        case .profile: texts(.consentProfile)
        case .email: texts(.consentEmail)
        case .offlineAccess: texts(.consentOffline)
        }
    }
}
