internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML

/// The page with the users who have given a third-party app access.
extension AdminPage {
    private static let pageLimit: Int64 = 100

    /// - Parameter id: the client's ID, or `GrantedApplication.id`.
    func clientUsersPath(_ id: String) -> String { "\(clientPath(id))/users" }

    func clientUsersPage() throws -> Answer {
        try requireOAuth()
        let id = call.parameter("id")
        let page = try auth.listClientUsers(
            of: id, limit: Self.pageLimit, after: call.query("after"))
        let rows = page.users.map { listed -> HTML in
            let about = listed.scope.joined(separator: " · ")
            return """
                <li><span><a href="\(address(userPath(shownID(listed.user))))">\
                \(texts.name(listed.user))</a><small>\(about)</small></span>\
                <small>\(time(listed.since))</small></li>

                """
        }
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"soft\">\(texts(.holdersNone))</p>"
            : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
        let title = texts(.holdersTitle, "name", page.name)
        return answer(
            title: title,
            """
            <h1>\(title)</h1>
            <p class="soft">\(texts(.holdersAbout))</p>
            \(list)
            \(page.next.map { older($0, clientUsersPath(id)) } ?? HTML())
            <p class="links">\(link(AdminConsole.clientsPath, .frameApps))</p>
            \(curl("GET", "/auth/clients/\(PercentEncoding.encode(id))/users"))
            """)
    }

    /// A link to the next page of a list.
    func older(_ next: String, _ path: String) -> HTML {
        """
        <p class="links"><a href="\(address(path, [("after", next)]))">\(texts(.frameOlder))\
        </a></p>
        """
    }
}
