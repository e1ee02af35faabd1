internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// A request of a browser for a page, or of a page's form.
///
/// This is a class, because copying so many members would need much code.
final class PageRequest {
    let auth: AuthServices
    let texts: PageTexts
    let cookies: PageCookies
    /// The fields of the form.
    let fields: Fields
    let caller: Caller
    private let look: PageLook
    let request: Request
    private let form: FormToken
    private let hasFormCookie: Bool
    /// The address of the app to which the browser returns.
    private(set) var returning: PageReturn?
    private var addedCookies: [Cookie] = []
    /// Whether the page loads the script, for example for a passkey, a password or a time.
    var usesScript = false
    /// The origin outside this server to which a form of the page finally leads.
    var formTarget: String?
    /// The signed-in user, for the header of the page.
    var person: User?

    /// nil where pages are off.
    init?(_ request: Request, _ fields: Fields, _ auth: AuthServices) {
        guard let policy = auth.policy.pages else { return nil }
        self.auth = auth
        self.request = request
        self.fields = fields
        look = PageLook(policy, name: auth.appName)
        cookies = PageCookies(issuer: auth.issuer)
        // Mails are also in the language of the page.
        caller = Caller(request).bearing(.none).inLanguage(request.languageWish)
        texts = PageText.texts(in: request.pageLanguage)
        let present = FormToken(cookie: request.cookie(cookies.name(.form)))
        form = present ?? FormToken(random: auth.random)
        hasFormCookie = present != nil
        returning = PageReturn(
            cookie: request.cookie(cookies.name(.appReturn)), allowed: policy.returns)
        if let next = PageDestination(administration: request.queryValue("next")) {
            addedCookies.append(cookies.holding(next.text, .next, for: PageDestination.lifetime))
        }
    }

    /// The page for which the user signs in, or proves the identity again.
    var next: PageDestination {
        PageDestination(administration: query("next"))
            ?? cookie(.next).flatMap(PageDestination.init(cookie:)) ?? PageDestination(.account)
    }

    /// Stores the request of the app until the sign-in.
    func keepReturn() throws(RequestError) {
        let asked = try PageReturn(
            { name in request.query.filter { $0.name.isSame(as: name) }.map(\.value) },
            allowed: auth.policy.pages?.returns ?? [])
        guard let asked else {
            // A person who opens this page directly has left the app's sign-in. Links from the
            // other pages of the sign-in have a mark in their address.
            if query("notice") == nil, query(Self.backMark) == nil { forgetReturn() }
            return
        }
        returning = asked
        addedCookies.append(cookies.holding(asked.cookie, .appReturn, for: PageReturn.lifetime))
    }

    /// Call this when the sign-in for an app was abandoned.
    func forgetReturn() {
        returning = nil
        if cookie(.appReturn) != nil { addedCookies.append(cookies.removing(.appReturn)) }
    }

    /// The query parameter of links that lead back to the first page of an app's sign-in.
    static let backMark = "back"

    /// The address of a page for a link. A link to the sign-in or the registration continues the
    /// sign-in for the app.
    func linkedAddress(_ page: PageName) -> String {
        let address = address(page)
        guard page == .signIn || page == .register, returning != nil else { return address }
        return address + (address.contains("?") ? "&" : "?") + "\(Self.backMark)=app"
    }

    func query(_ name: String) -> String? { request.queryValue(name) }
    var lastPathPart: String { request.path.split(separator: "/").last.map(String.init) ?? "" }
    func cookie(_ kind: PageCookies.Kind) -> String? { request.cookie(cookies.name(kind)) }
    /// The submitted value, to show it again.
    func typed(_ name: String) -> String { (try? fields.text(name)) ?? "" }

    /// Throws unless the form was sent to this browser.
    func checkForm() throws(RequestError) {
        guard hasFormCookie, form.isRight(try fields.text("form")) else { throw .foreignForm }
    }

    /// The address of a page, relative because the pages may be below a stage or a base path.
    func address(_ page: PageName, _ notice: PageNotice? = nil) -> String {
        let isBelowPages = page.path.hasPrefix("/auth/ui/")
        let place =
            isBelowPages ? up + page.rawValue : AdminLook.relative(page.path, from: request.path)
        return request.keepingLocales(place + (notice.map { "?notice=\($0.rawValue)" } ?? ""))
    }

    /// - Parameter hint: the address with which the person will sign in.
    func address(_ page: PageName, _ notice: PageNotice?, hint: String?) -> String {
        let address = address(page, notice)
        guard let hint, hint.utf8.count <= EmailAddress.bytesMax else { return address }
        let mark = address.contains("?") ? "&" : "?"
        return address + mark + PercentEncoding.form([("login_hint", hint)])
    }

    /// The address of the page for a client's request.
    func address(of destination: PageDestination) -> String {
        let page = address(.consent)
        return "\(page)\(page.contains("?") ? "&" : "?")request=\(destination.request ?? "")"
    }

    /// The relative path to the other pages.
    private var up: String {
        if request.path.hasPrefix("/oauth/") { return "../auth/ui/" }
        return request.path.utf8.contains(text: "/callback/") ? "../" : ""
    }

    /// The address of the app from which the page was opened.
    private var app: String?

    // MARK: Answers

    func answer(
        _ status: Int = 200, title: PageText, _ body: HTML
    ) -> Answer {
        let script: HTML =
            usesScript ? "<script src=\"\(up)\(PageScript.path)\" async></script>\n" : ""
        let html = look.document(
            texts, title: texts(title), person: person.map(header), "\(body)\n\(script)")
        return Answer(
            status, .text(html.text, type: "text/html; charset=utf-8"),
            headers: [
                (
                    "content-security-policy",
                    look.securityPolicy(
                        formsTo: formTarget ?? next.formTarget ?? returning?.formTarget,
                        usesScript: usesScript)
                ),
                // Forms must send their origin, which "no-referrer" would suppress.
                ("referrer-policy", "same-origin"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
                ("x-frame-options", "DENY"),
                ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
                ("vary", "Accept-Language, Cookie"),
            ],
            cookies: (hasFormCookie ? [] : [cookies.holding(form.cookie, .form)])
                + addedCookies)
    }

    func redirect(
        to page: PageName, _ notice: PageNotice? = nil, setting cookies: [Cookie] = []
    ) -> Answer {
        .redirect(to: address(page, notice), cookies: cookies + addedCookies)
    }

    /// Redirects to the sign-in, for the same app.
    func redirectBack(setting cookies: [Cookie] = []) -> Answer {
        .redirect(to: linkedAddress(.signIn), cookies: cookies + addedCookies)
    }

    /// Redirects to the page for which the user has proven who they are.
    func redirectToNext(setting cookies: [Cookie]) -> Answer {
        let next = next
        if next.request != nil {
            return .redirect(to: address(of: next), cookies: cookies + addedCookies)
        }
        if let code = next.userCode {
            let page = address(.device)
            return .redirect(
                to: "\(page)\(page.contains("?") ? "&" : "?")user_code=\(code.text)",
                cookies: cookies + addedCookies)
        }
        guard next.page == nil else { return redirect(to: next.page ?? .account, setting: cookies) }
        return .redirect(
            to: request.keepingLocales(AdminLook.relative(next.text, from: request.path)),
            cookies: cookies)
    }

    /// The cookies after a sign-in or sign-out, which replace all earlier ones.
    func freshCookies(_ session: BrowserSession?) -> [Cookie] {
        let lifetime = auth.policy.sessions.idleLifetime
        let holding =
            session.map { cookies.holding($0.cookie, .session, for: lifetime) }
            ?? cookies.removing(.session)
        return [holding] + freshFormCookies
    }

    /// After a sign-out, the browser also forgets the app.
    var endedCookies: [Cookie] {
        freshCookies(nil) + (cookie(.app) == nil ? [] : [cookies.removing(.app)])
    }

    private var freshFormCookies: [Cookie] {
        [cookies.holding(FormToken(random: auth.random).cookie, .form)]
            + [PageCookies.Kind.mail, .ticket, .appReturn, .providerName, .next]
            .filter { cookie($0) != nil }.map(cookies.removing)
    }

    /// Redirects back to the app, with a code for the session. This browser does not keep the
    /// session.
    func handOver(_ tokens: SessionTokens, to target: PageReturn) throws(AuthError) -> Answer {
        let code = try auth.signInCode(for: tokens, challenge: target.challenge)
        return .redirect(
            to: target.location(code: code, issuer: auth.issuer), cookies: freshFormCookies)
    }

    /// A form that the script sends with the answer of an authenticator. It is hidden without the
    /// script.
    ///
    /// - Parameter signals: arguments of methods of `PublicKeyCredential`, which the script calls.
    func passkeyForm(
        to page: PageName, _ purpose: String, _ button: PageText, _ content: HTML = "",
        signals: JSONObject = [:]
    ) -> HTML {
        usesScript = true
        let told: HTML =
            signals.members.isEmpty
            ? "" : " data-signals=\"\(String(decoding: signals.serialized, as: UTF8.self))\""
        // On the other pages, the passkey is one of several ways.
        let main: HTML = purpose.isSame(as: "add") ? " main" : ""
        return """
            <form method="post" action="\(address(page))" accept-charset="utf-8" hidden \
            data-passkey="\(purpose)" data-options="\(address(.passkeyOptions))" \
            data-failed="\(texts(.passkeysFailed))" data-known="\(texts(.passkeysKnown))"\(told)>
            <input type="hidden" name="form" value="\(form.text)">
            <input type="hidden" name="ceremony"><input type="hidden" name="credential">
            \(content)
            <p class="says bad" role="alert" hidden></p>
            <button class="way\(main)">\(PageMark.passkey)\(texts(button))</button>
            </form>
            """
    }

    var formToken: String { form.text }

    /// A hidden field with the languages, for forms whose fields replace the query of their
    /// address.
    var localesField: HTML {
        guard let locales = request.locales else { return "" }
        return "<input type=\"hidden\" name=\"ui_locales\" value=\"\(locales)\">\n"
    }

    func forgetNext() {
        if cookie(.next) != nil { addedCookies.append(cookies.removing(.next)) }
    }

    // MARK: Return to an app

    /// The address that the app requests, whether or not the setting lists it.
    var askedAddress: String? { query("redirect_uri") }

    /// The ID of the client that requests an authorization, whether or not there is such a client.
    var askedClient: String? { query("client_id") }

    /// Keeps the address of the app from which the account's page was opened, if the setting lists
    /// it.
    func keepApp() throws(RequestError) {
        let asked = request.query.filter { $0.name.isSame(as: "redirect_uri") }
        guard !asked.isEmpty else { return }
        guard asked.count == 1, let known = listed(asked[0].value) else {
            throw .invalidField("redirect_uri", .notOneOf([]))
        }
        app = known
        addedCookies.append(cookies.holding(Base64URL.encode(Array(known.utf8)), .app))
    }

    private func listed(_ address: String) -> String? {
        auth.policy.pages?.returns.first { $0.isSame(as: address) }
    }

    private var administrationAddress: String {
        AdminLook.relative(ContractPages.administration, from: request.path)
    }

    private func header(_ user: User) -> (name: HTML, ways: HTML) {
        let kept = cookie(.app).flatMap(Base64URL.decode)
            .map { String(decoding: $0, as: UTF8.self) }
        let back: HTML =
            (app ?? kept.flatMap(listed)).map {
                "<a href=\"\($0)\">\(texts(.accountApp, [("app", look.name)]))</a>"
            } ?? ""
        let administration: HTML =
            user.adminRole == nil || isPlain
            ? ""
            : """
            <a href="\(request.keepingLocales(administrationAddress))">\
            \(texts(.accountAdministration))</a>
            """
        let signOut = PageForm(
            page: .signOut, button: .accountSignOut, hidden: [("scope", "session")],
            isMain: false)
        return (
            "\(texts(.accountHello, [("name", name(of: user))]))",
            "\(back)\(administration)\(html(signOut))"
        )
    }
}
