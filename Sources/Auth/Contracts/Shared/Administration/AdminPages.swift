internal import AuthOperations
internal import Bytes
package import FunctionRuntime
internal import HTML

extension Request {
    /// A browser's `Accept` header contains HTML when it opens an address; `fetch` does not send
    /// that.
    package var asksForPage: Bool {
        header("accept")?.asciiLowercased.utf8.contains(text: "text/html") ?? false
    }
}

/// The pages of administration. They have no scripts and load no resources.
package enum AdminPages {
    /// - Parameters:
    ///   - problem: why the last attempt failed.
    ///   - isAtField: whether the problem is the password.
    static func login(
        _ status: Int, _ request: Request, next: LocalPath, server: ServerOfPage,
        problem: String? = nil, isAtField: Bool = false
    ) -> Answer {
        let texts = AdminSignInText.texts(in: request.pageLanguage)
        let plain = PlainConnection(request, issuer: server.issuer)
        // The password field has no focus if users can sign in with accounts: otherwise they would
        // type the password of an account into it.
        let hasFocus = plain == nil && (!server.hasAccounts || problem != nil)
        let focus: HTML = hasFocus ? " autofocus" : HTML()
        let target = next.isRoot ? ContractPages.administration : next.text
        let signIn = request.keepingLocales("../ui/signin?next=\(PercentEncoding.encode(target))")
        let account: HTML =
            server.hasAccounts
            ? """
            <a class="go" href="\(signIn)">\(texts(.signInAccount))</a>
            <p class="or">\(texts(.signInOr))</p>

            """ : HTML()
        let main: HTML = server.hasAccounts ? HTML() : " class=\"main\""
        // A relative URL, because the page may be below a stage or a base path.
        return page(
            status, title: texts(.signInTitle), app: server.app, texts,
            """
            <h1>\(texts(.signInHeading))</h1>
            \(plain.map {
                $0.note(for: AdminEndpoints.loginPath, issuer: server.issuer, in: texts.language)
            } ?? HTML())
            \(isAtField ? HTML() : problem.map {
                "<p class=\"says bad\" role=\"alert\">\($0)</p>\n"
            } ?? HTML())\
            \(account)\
            <form method="post" action="\(request.keepingLocales("login"))">
            <input type="hidden" name="next" value="\(next.text)">
            <div><label for="password">\(texts(.signInPassword))</label>
            <input id="password" type="password" name="password" \
            autocomplete="current-password" required\(focus)\(isAtField ? Self.faulty : HTML())>
            \(isAtField ? problem.map {
                "<span class=\"fault\" id=\"password-says\" role=\"alert\">\($0)</span>"
            } ?? HTML() : HTML())</div>
            <button\(main)>\(texts(.signInTitle))</button>
            </form>
            """)
    }

    private static let faulty: HTML =
        " aria-describedby=\"password-says\" aria-invalid=\"true\""

    /// - Parameter home: the first of the pages, if there are any.
    static func signedIn(_ request: Request, home: String?, app: String) -> Answer {
        let texts = AdminSignInText.texts(in: request.pageLanguage)
        let link: HTML =
            home.map { home in
                let address = request.keepingLocales("../..\(home)")
                return "<p class=\"links\"><a href=\"\(address)\">\(texts(.signedInGo))</a></p>\n"
            } ?? HTML()
        return page(
            200, title: texts(.signedInTitle), app: app, texts,
            """
            <h1>\(texts(.signInHeading))</h1>
            <p>\(texts(.signedInAbout))</p>
            \(link)\
            <form method="post" action="\(request.keepingLocales("logout"))">
            <button>\(texts(.signedInSignOut))</button>
            </form>
            """)
    }

    private static func page(
        _ status: Int, title: String, app: String, _ texts: Texts<AdminSignInText>, _ content: HTML
    ) -> Answer {
        AdminLook.answer(status, title: title, app: app, in: texts.language, content)
    }

    /// The login page again, for a form that was refused; nil for a request from a script.
    static func answer(
        to error: APIError, _ response: ErrorResponse, _ failed: FailedRequest
    ) -> Answer? {
        guard failed.operation == .adminLogin, isForm(failed.request) else { return nil }
        let next = PercentEncoding.parseForm(
            String(decoding: failed.request.body, as: UTF8.self), pairsMax: 64
        )?.first { $0.0.isSame(as: "next") }?.1
        let texts = AdminSignInText.texts(in: failed.request.pageLanguage)
        let isAtField =
            if case .auth(.administration(.wrongPassword)) = error { true } else { false }
        var answer = login(
            response.status, failed.request, next: LocalPath(next), server: failed.server,
            problem: texts.problem(error) ?? response.message, isAtField: isAtField)
        answer.headers += response.headers
        return answer
    }

    /// The redirect for a browser that is not signed in.
    package static func redirectToLogin(from request: Request) -> Answer {
        let next = LocalPath(of: request)
        let query = next.isRoot ? "" : "?next=\(PercentEncoding.encode(next.text))"
        return .redirect(to: request.keepingLocales(AdminEndpoints.loginPath + query))
    }

    private static func isForm(_ request: Request) -> Bool {
        request.header("content-type")?.asciiLowercased
            .hasPrefix("application/x-www-form-urlencoded") ?? false
    }
}
