internal import AuthOperations
internal import Bytes
internal import FunctionRuntime
internal import HTML

/// The pages of administration. They have no scripts and load no resources.
enum AdminPages {
    /// - Parameter problem: why the last attempt failed.
    static func login(next: LocalPath, problem: String? = nil) -> String {
        // A relative URL, because the page may be below a stage or a base path.
        page(
            """
            \(problem.map { "<p role=\"alert\">\($0)</p>\n" } ?? HTML())\
            <form method="post" action="login">
            <input type="hidden" name="next" value="\(next.text)">
            <label>Password
            <input type="password" name="password" autocomplete="current-password" \
            required autofocus>
            </label>
            <button>Sign in</button>
            </form>
            """)
    }

    static let signedIn = page(
        """
        <p>You are signed in.</p>
        <form method="post" action="logout">
        <button>Sign out</button>
        </form>
        """)

    private static func page(_ content: HTML) -> String {
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Administration</title>
            <style>
            body { font: 1rem/1.5 system-ui, sans-serif; max-width: 20rem; margin: 4rem auto; }
            label, input, button { display: block; width: 100%; box-sizing: border-box; }
            input, button { font: inherit; padding: 0.5rem; margin: 0.5rem 0; }
            </style>
            </head>
            <body>
            <h1>Administration</h1>
            \(content)
            </body>
            </html>

            """
        return page.text
    }

    /// The login page again, for a form that was refused; nil for a request from a script.
    static func answer(to response: ErrorResponse, _ failed: FailedRequest) -> Answer? {
        guard failed.operation == .adminLogin, isForm(failed.request) else { return nil }
        let next = PercentEncoding.parseForm(
            String(decoding: failed.request.body, as: UTF8.self), pairsMax: 64
        )?.first { $0.0.isSame(as: "next") }?.1
        var answer = Answer.html(
            response.status, login(next: LocalPath(next), problem: response.message))
        answer.headers += response.headers
        return answer
    }

    /// The redirect for a browser that is not signed in.
    static func redirectToLogin(from request: Request) -> Answer {
        let next = LocalPath(of: request)
        guard !next.isRoot else { return .redirect(to: AdminEndpoints.loginPath) }
        return .redirect(
            to: "\(AdminEndpoints.loginPath)?next=\(PercentEncoding.encode(next.text))")
    }

    private static func isForm(_ request: Request) -> Bool {
        request.header("content-type")?.asciiLowercased
            .hasPrefix("application/x-www-form-urlencoded") ?? false
    }
}
