internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// A request of an administrator for one of the pages.
///
/// This is a class, because copying so many members would need much code.
final class AdminPage {
    let console: AdminConsole
    let call: Call
    let auth: AuthServices
    let meter: StoreMeter
    let browser: AdminBrowser
    let texts: AdminTexts

    init(
        _ console: AdminConsole, _ call: Call, _ auth: AuthServices, _ meter: StoreMeter,
        _ browser: AdminBrowser
    ) {
        self.console = console
        self.call = call
        self.auth = auth
        self.meter = meter
        self.browser = browser
        texts = AdminTexts(call.request.pageLanguage)
    }

    var administrator: Administrator { browser.administrator }

    var role: AdminRole {
        if case .user(let user) = administrator {
            user.adminRole ?? .viewer
        } else {
            .administrator
        }
    }

    /// The path of a user's page.
    func userPath(_ id: String) -> String {
        "\(AdminConsole.path)/users/\(PercentEncoding.encode(id))"
    }

    /// The ID that clients see.
    func shownID(_ user: User) -> String {
        guard auth.policy.accounts.hasPublicID, let id = user.publicID else { return user.id.text }
        return "\(id)"
    }

    func address(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
        let fields = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        let address =
            AdminLook.relative(path, from: call.path) + (fields.isEmpty ? "" : "?")
            + fields.joined(separator: "&")
        return call.request.keepingLocales(address)
    }

    func redirect(
        to path: String, _ notice: AdminNotice, _ query: [(name: String, value: String)] = []
    ) -> Answer {
        let units = meter.units
        return .redirect(
            to: address(
                path,
                query + [
                    ("notice", notice.rawValue), ("reads", "\(units.read)"),
                    ("writes", "\(units.written)"),
                ]))
    }

    // MARK: Forms

    func checkForm() throws(RequestError) {
        guard !browser.isScript else { return }
        guard let form = browser.form, form.isRight(try call.body.text("form")) else {
            throw .foreignForm
        }
    }

    /// - Parameter isSensitive: whether the form needs a recent proof of the administrator's
    ///   identity. Without such a proof, the page shows a link to the step-up instead of the form.
    func formHTML(to path: String, isSensitive: Bool = false, _ content: HTML) -> HTML {
        if isSensitive, browser.lacksProof(auth) { return proofHTML }
        let token: HTML =
            browser.form.map { "<input type=\"hidden\" name=\"form\" value=\"\($0.text)\">" }
            ?? HTML()
        return """
            <form method="post" action="\(address(path))" accept-charset="utf-8">
            \(token)
            \(content)
            </form>
            """
    }

    /// A button that opens a dialog. The browser opens and closes it without a script, also with
    /// the Escape key.
    func dialogHTML(_ name: String, _ title: String, _ content: HTML) -> HTML {
        """
        <button popovertarget="act-\(name)">\(title)</button>
        <div popover id="act-\(name)" class="sheet" role="dialog" aria-labelledby="title-\(name)" \
        tabindex="-1" autofocus>
        <button class="close" popovertarget="act-\(name)" popovertargetaction="hide" \
        aria-label="\(texts(.frameClose))">×</button>
        <h2 id="title-\(name)">\(title)</h2>
        \(content)
        </div>

        """
    }

    private var proofHTML: HTML {
        let minutes = Administrator.proofAgeMax.seconds / 60
        let stepUp = address(PageName.stepUp.path, [("next", call.path)])
        return """
            <p class="soft">\(texts(.frameProof, "minutes", "\(minutes)"))</p>
            <a class="go" href="\(stepUp)">\(texts(.frameProve))</a>
            """
    }

    func reasonHTML(_ name: String) -> HTML {
        """
        <div><label for="reason-\(name)">\(texts(.frameReason))</label>
        <input id="reason-\(name)" name="reason" required maxlength="200"></div>
        """
    }

    /// The field for the password, for an administrator who signed in with it; others need a recent
    /// sign-in.
    ///
    /// - Parameter name: the name of the field; nil for a form that needs no proof.
    func passwordHTML(_ name: String?) -> HTML {
        guard let name, administrator == .password else { return HTML() }
        return """
            <div><label for="password-\(name)">\(texts(.framePassword))</label>
            <input id="password-\(name)" name="password" type="password" required \
            autocomplete="current-password"></div>
            """
    }

    // MARK: Parts

    func answer(title: String, hasFrame: Bool = false, _ body: HTML) -> Answer {
        let units = meter.units.read
        // Only DynamoDB is paid by units.
        let isPaidByUnits = auth.setting("STORE")?.value?.hasPrefix("dynamodb:") ?? false
        let cost: HTML =
            isPaidByUnits
            ? "\(actionCost ?? "")\(texts(.frameReads, "count", "\(units)"))" : HTML()
        let foot: HTML = """
            <p class="cost" data-read-units="\(String(units))"\
            \(isPaidByUnits ? HTML() : " hidden")>\(cost)</p>
            """
        return AdminLook.answer(
            200, title: title, app: auth.appName, in: texts.language, hasFrame: hasFrame,
            style: ConsoleStyle.css,
            """
            <header class="bar"><span>\(auth.appName)<small>\(person)</small></span>\
            \(navigation)</header>
            <main class="wide">
            \(HTML(joining: [notice, body, foot]))
            </main>
            """)
    }

    private var notice: HTML {
        guard let notice = call.query("notice").flatMap(AdminNotice.init(rawValue:)) else {
            return HTML()
        }
        let isUndelivered = notice.isAboutMail && auth.mailDestination == .folder
        let warning: HTML = isUndelivered ? " \(texts(.warningFolder))" : HTML()
        return "<p class=\"says\" role=\"status\">\(texts(notice.text))\(warning)</p>"
    }

    /// The cost of the action that led to this page; nil if there was no action.
    private var actionCost: String? {
        func count(_ name: String) -> Int? {
            call.query(name).flatMap { text in
                (1...6).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
                    ? Int(text) : nil
            }
        }
        guard call.query("notice").flatMap(AdminNotice.init(rawValue:)) != nil,
            let read = count("reads"), let written = count("writes")
        else { return nil }
        return texts(.frameTook, "read", "\(read)", "written", "\(written)") + " "
    }

    /// Who is signed in.
    private var person: String {
        guard case .user(let user) = administrator else { return texts(.framePassword) }
        return user.displayName ?? texts.name(user)
    }

    private var navigation: HTML {
        let isAccount = administrator != .password
        let scope: HTML =
            isAccount ? "<input type=\"hidden\" name=\"scope\" value=\"session\">" : HTML()
        let signOut = formHTML(
            to: isAccount ? PageName.signOut.path : "/auth/admin/logout",
            "\(scope)<button>\(texts(.frameSignOut))</button>")
        return """
            \(console.navigation(call.request, auth, texts))
            \(isAccount ? link(PageName.account.path, .frameAccount) : HTML())
            \(signOut)
            """
    }

    func link(_ path: String, _ text: AdminText) -> HTML {
        "<a href=\"\(address(path))\">\(texts(text))</a>"
    }

    /// A command for the same request, which a click selects completely.
    func curl(_ method: String, _ path: String, _ options: String = "") -> HTML {
        let origin = auth.issuer.hasSuffix("/") ? String(auth.issuer.dropLast()) : auth.issuer
        let credential =
            administrator != .password
            ? "-H \"Authorization: Bearer $ACCESS_TOKEN\""
            : "-b \"\(AdminCookie(auth).name)=$ADMIN_SESSION\""
        let verb = method.isSame(as: "GET") ? "" : "-X \(method) "
        let source = texts(administrator != .password ? .frameToken : .frameSession)
        let command = "curl \(verb)\(Self.quoted(origin + path)) \(credential)\(options)"
        return """
            <details class="curl"><summary>\(texts(.frameCurl))</summary>\
            <code tabindex="0">\(command)</code>\
            <p class="soft">\(source)</p></details>
            """
    }

    /// The body of a request, as an option of curl.
    func json(_ body: JSONObject, needsProof: Bool) -> String {
        var body = body
        if needsProof, administrator == .password { body["password"] = "…" }
        return " --json " + Self.quoted(String(decoding: body.serialized, as: UTF8.self))
    }

    /// Quotes a text for a shell (POSIX, XCU 2.2.2).
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "-._~:/%@".utf8.contains($0) }
        if isPlain { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    func time(_ instant: Instant) -> HTML {
        "<time datetime=\"\(instant.iso8601Seconds)\">\(texts.time(instant))</time>"
    }

    /// - Parameter isBad: whether the tag shows that something needs attention.
    func tag(_ text: AdminText, isBad: Bool = false) -> HTML {
        let style: HTML = isBad ? " bad" : HTML()
        return "<span class=\"tag\(style)\">\(texts(text))</span>"
    }

    func tags(_ user: User) -> HTML {
        var tags: [HTML] = []
        if user.isDisabled { tags.append(tag(.tagDisabled, isBad: true)) }
        if let role = user.adminRole {
            tags.append("<span class=\"tag\">\(texts.role(role))</span>")
        }
        if user.isGuest { tags.append(tag(.tagGuest)) }
        if user.email != nil, !user.isEmailVerified { tags.append(tag(.tagUnverified)) }
        if user.hasSecondFactor { tags.append(tag(.tagSecondFactor)) }
        if auth.hasRiskyRole(user) { tags.append(tag(.tagNoSecondFactor, isBad: true)) }
        return HTML(joining: tags)
    }
}

extension AdminConsole {
    /// Links to the sections of the administration.
    func navigation(_ request: Request, _ auth: AuthServices, _ texts: AdminTexts) -> HTML {
        var places: [(path: String, text: AdminText)] = [(home, .frameUsers)]
        if users.isWhole {
            places += [(Self.systemPath, .frameSystem), (Self.mailsPath, .frameMails)]
        }
        if auth.policy.oauth != nil { places.append((Self.clientsPath, .frameApps)) }
        let links = places.map { path, text in
            let address = request.keepingLocales(AdminLook.relative(path, from: request.path))
            let isHere = request.method.isSame(as: "GET") && request.path.isSame(as: path)
            let current: HTML = isHere ? " aria-current=\"page\"" : HTML()
            return HTML("<a href=\"\(address)\"\(current)>\(texts(text))</a>")
        }
        return "<nav>\(HTML(joining: links))</nav>"
    }
}
