internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML

extension AdminPage {
    private static let pageLimit: Int64 = 100

    /// The newest users, or those with an address or an ID.
    func usersPage() throws -> Answer {
        let asked = (call.query("q") ?? "").filter { !$0.isWhitespace }
        let found = try find(asked, after: call.query("after"))
        let rows = found.users.map(row)
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"soft\">\(asked.isEmpty ? "There are no users." : "No such user.")</p>"
            : "<ul class=\"rows\">\n\(HTML(joining: rows))</ul>"
        return answer(
            title: "Users",
            """
            <h1>Users</h1>
            <form class="find" method="get" action="\(address(console.home))" role="search">
            <div><label for="q">E-mail address or ID</label>
            <input id="q" name="q" value="\(asked)" maxlength="254" spellcheck="false"></div>
            <button class="main">Find</button>
            </form>
            <h2>\(asked.isEmpty ? "Newest first" : "Found")</h2>
            \(list)
            \(links(found.next, asked))
            \(curl("GET", console.users.path + query(asked)))
            """)
    }

    private func find(_ asked: String, after: String?) throws(AuthError) -> UserPage {
        if asked.isEmpty { return try auth.findUsers.all(limit: Self.pageLimit, after: after) }
        if asked.utf8.contains(UInt8(ascii: "@")) {
            return try auth.findUsers.users(withEmail: asked)
        }
        return try auth.findUsers.users(withID: asked)
    }

    private func query(_ asked: String) -> String {
        guard !asked.isEmpty else { return "?limit=\(Self.pageLimit)" }
        let name = asked.utf8.contains(UInt8(ascii: "@")) ? "email" : "id"
        return "?\(name)=\(PercentEncoding.encode(asked))"
    }

    private func links(_ next: String?, _ asked: String) -> HTML {
        let home = address(console.home)
        let older: HTML =
            next.map { "<a href=\"\(home)?after=\(PercentEncoding.encode($0))\">Older</a>" }
            ?? HTML()
        let isFirst = asked.isEmpty && call.query("after") == nil
        let newest: HTML = isFirst ? HTML() : "<a href=\"\(home)\">Newest</a>"
        return "<p class=\"links\">\(newest)\(older)</p>"
    }

    private func row(_ user: User) -> HTML {
        let id = shownID(user)
        let about = [user.email == nil ? nil : user.displayName, id].compactMap(\.self)
        return """
            <li><span><a href="\(address(userPath(id)))">\(name(user))</a>\
            <small>\(about.joined(separator: " · "))</small></span>\
            <span class="tags">\(tags(user))</span><small>\(time(user.createdAt))</small></li>

            """
    }
}
