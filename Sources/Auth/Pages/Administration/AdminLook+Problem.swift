internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML

extension AdminLook {
    static func problem(
        _ response: ErrorResponse, _ request: Request, home: String, users: String,
        app: String, needsProof: Bool
    ) -> Answer {
        let back = relative(
            backPath(request, home: home, users: users), from: request.path)
        let field = response.field.map { " (\($0))" } ?? ""
        let stepUp = relative(PageName.stepUp.path, from: request.path)
        let next = PercentEncoding.encode(backPath(request, home: home, users: users))
        let proof: HTML =
            needsProof
            ? "<a href=\"\(stepUp)?next=\(next)\">Prove who you are, then repeat it</a>" : HTML()
        return answer(
            response.status, title: "Error", app: app, isNarrow: true, navigation: HTML(),
            """
            <h1>That did not work</h1>
            <p class="says bad" role="alert">\(response.message)\(field)</p>
            <p class="links">\(proof)<a href="\(back)">Back</a></p>
            """)
    }

    /// The administration does not open over a connection that others can read.
    static func overPlainHTTP(
        _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer? {
        guard let plain = PlainConnection(request, issuer: auth.issuer) else { return nil }
        let note = plain.note(for: LocalPath(of: request).text, issuer: auth.issuer)
        return answer(
            response.status, title: "Not over plain HTTP", app: auth.appName, isNarrow: true,
            navigation: HTML(), "<h1>Administration</h1>\n\(note)")
    }

    /// The user's page if the request was about a user, otherwise the list.
    private static func backPath(_ request: Request, home: String, users: String) -> String {
        let parts = request.path.split(separator: "/")
        guard !request.method.isSame(as: "GET"), request.path.hasPrefix("\(users)/users/"),
            parts.count > 1
        else { return home }
        return "/" + parts.dropLast().joined(separator: "/")
    }

    /// A relative address, because the pages may be below a stage or a base path.
    static func relative(_ path: String, from current: String) -> String {
        let depth = current.utf8.count { $0 == UInt8(ascii: "/") } - 1
        return String(repeating: "../", count: max(0, depth)) + path.dropFirst()
    }
}
