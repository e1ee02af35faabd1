internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// A request of an administrator for one of the pages.
struct AdminPage {
    let console: AdminConsole
    let call: Call
    let auth: AuthServices
    let meter: StoreMeter
    let browser: AdminBrowser

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

    func address(_ path: String) -> String { AdminLook.relative(path, from: call.path) }

    func redirect(to path: String, _ notice: AdminNotice) -> Answer {
        let units = meter.units
        return .redirect(
            to: "\(address(path))?notice=\(notice.rawValue)&reads=\(units.read)"
                + "&writes=\(units.written)")
    }

    // MARK: Forms

    func checkForm() throws(RequestError) {
        guard !browser.isScript else { return }
        guard let form = browser.form, form.isRight(try call.body.text("form")) else {
            throw .foreignForm
        }
    }

    /// - Parameter isSensitive: whether it needs a fresh proof of who the administrator is. Without
    ///   one the page has the way to it instead, before anything is typed.
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

    private var proofHTML: HTML {
        let minutes = Administrator.proofAgeMax.seconds / 60
        return """
            <p class="soft">This needs a proof of who you are within the last \(String(minutes)) \
            minutes, with your second factor if you have one.</p>
            <p class="links"><a href="\(address(PageName.stepUp.path))?next=\
            \(PercentEncoding.encode(call.path))">Prove who you are</a></p>
            """
    }

    func reasonHTML(_ name: String) -> HTML {
        """
        <div><label for="reason-\(name)">Reason, for the audit log</label>
        <input id="reason-\(name)" name="reason" required maxlength="200"></div>
        """
    }

    /// For an administrator with the password; others need a recent sign-in.
    ///
    /// - Parameter name: nil for a form that needs no proof.
    func passwordHTML(_ name: String?) -> HTML {
        guard let name, administrator == .password else { return HTML() }
        return """
            <div><label for="password-\(name)">Your password</label>
            <input id="password-\(name)" name="password" type="password" required \
            autocomplete="current-password"></div>
            """
    }

    // MARK: Parts

    func answer(title: String, hasFrame: Bool = false, _ body: HTML) -> Answer {
        let notice: HTML =
            call.query("notice").flatMap(AdminNotice.init(rawValue:))
            .map { "<p class=\"says\" role=\"status\">\($0.text)</p>" } ?? HTML()
        let units = meter.units.read
        // Other stores are not paid by units.
        let isPaidByUnits = auth.setting("STORE")?.value?.hasPrefix("dynamodb:") ?? false
        let cost: HTML =
            isPaidByUnits
            ? "\(actionCost ?? "")This page read \(String(units)) read units of 4 KB." : HTML()
        let foot: HTML = """
            <p class="cost" data-read-units="\(String(units))"\
            \(isPaidByUnits ? HTML() : " hidden")>\(cost)</p>
            """
        return AdminLook.answer(
            200, title: title, app: auth.appName, hasFrame: hasFrame,
            navigation: navigation, HTML(joining: [notice, body, foot]))
    }

    /// The cost of the action before the redirect; nil without one.
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
        return "The action took \(read) read units of 4 KB and \(written) write units of 1 KB. "
    }

    private var navigation: HTML {
        let signOut = formHTML(to: "/auth/admin/logout", "<button>Sign out</button>")
        let account: HTML = "<a href=\"\(address(PageName.account.path))\">Account</a>"
        let system: HTML = """
            <a href="\(address(AdminConsole.systemPath))">System</a>\
            <a href="\(address(AdminConsole.mailsPath))">Mails</a>
            """
        let apps: HTML =
            auth.policy.oauth == nil
            ? HTML() : "<a href=\"\(address(AdminConsole.clientsPath))\">Apps</a>"
        return """
            <nav><a href="\(address(console.home))">Users</a>\
            \(console.users.isWhole ? system : HTML())\(apps)</nav>
            \(administrator == .password ? signOut : account)
            """
    }

    /// A command for the same request, selected as a whole by a click.
    func curl(_ method: String, _ path: String, _ options: String = "") -> HTML {
        let origin = auth.issuer.hasSuffix("/") ? String(auth.issuer.dropLast()) : auth.issuer
        let credential =
            administrator != .password
            ? "-H \"Authorization: Bearer $ACCESS_TOKEN\""
            : "-b \"\(AdminCookie(auth).name)=$ADMIN_SESSION\""
        let verb = method.isSame(as: "GET") ? "" : "-X \(method) "
        let source =
            administrator != .password
            ? "ACCESS_TOKEN is accessToken in the answer to a sign-in, such as POST /auth/login."
            : "ADMIN_SESSION is the value of the cookie that POST /auth/admin/login sets."
        let command = "curl \(verb)\(Self.quoted(origin + path)) \(credential)\(options)"
        return """
            <details class="curl"><summary>copy as curl</summary>\
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

    /// For a shell (POSIX, XCU 2.2.2).
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0.isLetterOrDigit || "-._~:/%@".utf8.contains($0) }
        if isPlain { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    func time(_ instant: Instant) -> HTML {
        "<time datetime=\"\(instant.iso8601Seconds)\">\(instant.text("%Y-%m-%d %H:%M"))</time>"
    }

    func tags(_ user: User) -> HTML {
        var tags: [HTML] = []
        if user.isDisabled { tags.append("<span class=\"tag bad\">disabled</span>") }
        if let role = user.adminRole {
            tags.append("<span class=\"tag\">\(role.rawValue)</span>")
        }
        if user.isGuest { tags.append("<span class=\"tag\">guest</span>") }
        if user.email != nil, !user.isEmailVerified {
            tags.append("<span class=\"tag\">unverified</span>")
        }
        if user.hasSecondFactor { tags.append("<span class=\"tag\">second factor</span>") }
        if auth.hasRiskyRole(user) {
            tags.append("<span class=\"tag bad\">no second factor</span>")
        }
        return HTML(joining: tags)
    }

    func name(_ user: User) -> String {
        user.email ?? user.displayName ?? (user.isGuest ? "Guest" : "No address")
    }
}
