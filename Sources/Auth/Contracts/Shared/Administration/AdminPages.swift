internal import AuthOperations
internal import Bytes
package import FunctionRuntime
internal import HTML

extension Request {
    /// Browsers name HTML when they open an address; `fetch` does not.
    package var asksForPage: Bool {
        header("accept")?.asciiLowercased.utf8.contains(text: "text/html") ?? false
    }
}

/// The pages of administration. They have no scripts and load no resources.
package enum AdminPages {
    /// - Parameters:
    ///   - server: the names of app and issuer.
    ///   - offersAccount: whether users can sign in on pages, and have roles.
    ///   - problem: why the last attempt failed.
    static func login(
        _ status: Int, _ request: Request, next: LocalPath, server: (app: String, issuer: String),
        offersAccount: Bool = false, problem: String? = nil
    ) -> Answer {
        let plain = PlainConnection(request, issuer: server.issuer)
        // Focus invites to type.
        let focus: HTML = plain == nil ? " autofocus" : HTML()
        let target = next.isRoot ? ContractPages.administration : next.text
        let account: HTML =
            offersAccount
            ? """
            <p class="links"><a href="../ui/signin?next=\(PercentEncoding.encode(target))">Sign in \
            with your account</a></p>
            """ : HTML()
        // A relative URL, because the page may be below a stage or a base path.
        return page(
            status, title: "Sign in", app: server.app,
            """
            <h1>Administration</h1>
            \(plain.map { $0.note(for: AdminEndpoints.loginPath, issuer: server.issuer) } ?? HTML())
            \(problem.map { "<p class=\"says bad\" role=\"alert\">\($0)</p>\n" } ?? HTML())\
            <form method="post" action="login">
            <input type="hidden" name="next" value="\(next.text)">
            <div><label for="password">Password</label>
            <input id="password" type="password" name="password" \
            autocomplete="current-password" required\(focus)></div>
            <button class="main">Sign in</button>
            </form>
            \(account)
            """)
    }

    /// - Parameter home: where the pages begin, if there are any.
    static func signedIn(home: String?, app: String) -> Answer {
        let link: HTML =
            home.map { "<p class=\"links\"><a href=\"../..\($0)\">Continue</a></p>\n" } ?? HTML()
        return page(
            200, title: "Signed in", app: app,
            """
            <h1>Administration</h1>
            <p>You are signed in.</p>
            \(link)\
            <form method="post" action="logout">
            <button>Sign out</button>
            </form>
            """)
    }

    private static func page(
        _ status: Int, title: String, app: String, _ content: HTML
    ) -> Answer {
        AdminLook.answer(
            status, title: title, app: app, isNarrow: true, navigation: HTML(), content)
    }

    /// The login page again, for a form that was refused; nil for a request from a script.
    static func answer(
        to response: ErrorResponse, _ failed: FailedRequest
    ) -> Answer? {
        guard failed.operation == .adminLogin, isForm(failed.request) else { return nil }
        let next = PercentEncoding.parseForm(
            String(decoding: failed.request.body, as: UTF8.self), pairsMax: 64
        )?.first { $0.0.isSame(as: "next") }?.1
        var answer = login(
            response.status, failed.request, next: LocalPath(next), server: failed.server,
            problem: response.message)
        answer.headers += response.headers
        return answer
    }

    /// The redirect for a browser that is not signed in.
    package static func redirectToLogin(from request: Request) -> Answer {
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
