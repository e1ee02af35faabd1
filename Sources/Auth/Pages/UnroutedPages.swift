internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON

/// The answers to a browser at paths without an endpoint: a redirect to the sign-in at `/`, an
/// icon, and otherwise a page that says that the path does not exist.
enum UnroutedPages {
    private static let iconSeconds = 86_400
    /// The icon: a key in the standard colour of the pages.
    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#2f5bd7" \
        stroke-width="4" stroke-linecap="round"><circle cx="11" cy="21" r="7"/>\
        <path d="M16 16 28 4M23 9l4 4"/></svg>
        """

    static func answer(
        _ error: any Error, _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer? {
        if case .request(.foreignHost) = APIError(error) {
            return request.asksForPage ? elsewhere(response, request, auth) : nil
        }
        // A request with a path that cannot be decoded has the path "/" here.
        let isUndecodable: Bool
        if case .request(.undecodablePath) = APIError(error) {
            isUndecodable = true
        } else {
            isUndecodable = false
        }
        // A GET request for the target of a form gets 405 and the same page.
        guard [404, 405].contains(response.status) || isUndecodable, isRead(request) else {
            return nil
        }
        if response.status == 404, !isUndecodable {
            if request.path.isSame(as: "/") { return entry(request, auth) }
            if request.path.isSame(as: "/favicon.ico") { return favicon }
        }
        guard request.asksForPage else { return nil }
        if request.path.hasPrefix(ContractPages.administration) {
            return administration(response, request, app: auth.appName)
        }
        guard let page = PageRequest(request, Fields([:]), auth) else { return nil }
        var answer = page.answer(
            response.status, title: .unroutedTitle,
            """
            <h1>\(page.texts(.unroutedTitle))</h1>
            <p>\(page.texts(.unroutedAbout))</p>
            <p class="links"><a href="\(address("/", request))">\(page.texts(.unroutedHome))</a></p>
            """)
        // A 405 names the allowed methods (RFC 9110 section 15.5.6).
        answer.headers += response.headers.filter { $0.name.isSame(as: "allow") }
        return answer
    }

    /// The page for a browser that has used a host name that is not the server's. It names the
    /// right address, and tells the operator how to use that name.
    private static func elsewhere(
        _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer {
        let page = PageRequest(request, Fields([:]), auth)
        let texts = PageText.texts(in: request.pageLanguage)
        let base = auth.issuer.hasSuffix("/") ? String(auth.issuer.dropLast()) : auth.issuer
        let host = request.header("host").map { Authority($0) }
        let operatorText =
            host.map(\.isPlain) == true
            ? texts(
                .hostOperator, [("name", host?.name ?? ""), ("url", "https://\(host?.name ?? "")")])
            : ""
        let body: HTML = """
            <h1>\(texts(.hostTitle))</h1>
            <p>\(texts(Authority(of: base).isLoopback ? .hostLocal : .hostAbout)) \
            <a href="\(base + LocalPath(of: request).text)">\(auth.issuer)</a></p>
            <p class="soft">\(operatorText)</p>
            """
        var answer =
            page?.answer(response.status, title: .hostTitle, body)
            ?? AdminLook.answer(
                response.status, title: texts(.hostTitle), app: auth.appName, in: texts.language,
                body)
        // The host name belongs to another site, so no cookie is set.
        answer.cookies = []
        return answer
    }

    /// A browser with a user's session is redirected to the account, and one with an
    /// administrator's session to the administration.
    private static func entry(_ request: Request, _ auth: AuthServices) -> Answer? {
        let isAdministrator = request.cookie(AdminCookie(auth).name) != nil
        guard auth.policy.pages != nil else {
            return isAdministrator ? redirect(to: ContractPages.administration) : nil
        }
        if request.cookie(PageCookies(issuer: auth.issuer).name(.session)) != nil {
            return redirect(to: ContractPages.account)
        }
        return redirect(
            to: isAdministrator ? ContractPages.administration : ContractPages.signIn)
    }

    /// The address is relative, because the server may be below a base path.
    private static func redirect(to path: String) -> Answer {
        var answer = Answer.redirect(to: String(path.dropFirst()))
        answer.headers.append(("vary", "Cookie"))
        return answer
    }

    private static var favicon: Answer {
        Answer(
            200, .text(icon, type: "image/svg+xml"),
            headers: [("cache-control", "public, max-age=\(iconSeconds)")])
    }

    private static func administration(
        _ response: ErrorResponse, _ request: Request, app: String
    ) -> Answer {
        let texts = PageText.texts(in: request.pageLanguage)
        let home = request.keepingLocales(address(ContractPages.administration, request))
        let users = AdminText.texts(in: texts.language)(.frameUsers)
        return AdminLook.answer(
            response.status, title: texts(.unroutedTitle), app: app, in: texts.language,
            """
            <h1>\(texts(.unroutedTitle))</h1>
            <p>\(texts(.unroutedAbout))</p>
            <p class="links"><a href="\(home)">\(users)</a></p>
            """)
    }

    private static func address(_ path: String, _ request: Request) -> String {
        let relative = AdminLook.relative(path, from: request.path)
        return relative.isEmpty ? "." : relative
    }

    private static func isRead(_ request: Request) -> Bool {
        request.method.isSame(as: "GET") || request.method.isSame(as: "HEAD")
    }
}
