internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML

/// Who has given an app of others access.
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
                \(name(listed.user))</a><small>\(about)</small></span>\
                <small>\(time(listed.since))</small></li>

                """
        }
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"soft\">No user has given it access.</p>"
            : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
        return answer(
            title: "Users of \(page.name)",
            """
            <h1>Users of \(page.name)</h1>
            <p class="soft">Those who have given it access, the latest first. Nobody is asked \
            about an app of your own, so it has no list.</p>
            \(list)
            \(page.next.map { older($0, clientUsersPath(id)) } ?? HTML())
            <p class="links"><a href="\(address(AdminConsole.clientsPath))">Apps</a></p>
            \(curl("GET", "/auth/clients/\(PercentEncoding.encode(id))/users"))
            """)
    }

    /// A link to the next page of a list.
    func older(_ next: String, _ path: String) -> HTML {
        """
        <p class="links"><a href="\(address(path))?after=\(PercentEncoding.encode(next))">Older\
        </a></p>
        """
    }
}
