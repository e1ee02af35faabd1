internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import HTML
internal import JSON
internal import Time

extension PageEndpoints {
    static let signIn: [PageRoute] = [
        .page(.signIn) { page in
            try page.keepReturn()
            // The account's page checks whether the session is still valid.
            return page.browserSession == nil || page.query("notice") != nil
                || page.returning != nil
                ? page.signInPage(nil)
                // If a client's request waits, its page continues, or removes the cookie of an
                // ended session.
                : page.next.request == nil
                    ? page.redirect(to: .account) : page.redirectToNext(setting: [])
        },
        .form(.pageSignIn, .signIn, again: { $0.signInPage($1) }) { page in
            var input = LogIn.Input(
                email: try page.fields.email(), password: try page.fields.required("password"))
            input.device = page.device
            return try page.entered(try page.auth.logIn(input, page.caller))
        },
        .page(.secondFactor) { page in
            page.ticket == nil ? page.redirectBack() : page.secondFactorPage(nil)
        },
        .form(.pageSecondFactor, .secondFactor, again: { $0.secondFactorPage($1) }) { page in
            guard let ticket = page.ticket?.text else {
                throw AuthError.secondFactor(.ticketInvalid)
            }
            if page.fields.has("credential") {
                let tokens = try page.auth.completeSignInWithPasskey(
                    ticket: ticket, ceremony: try page.fields.required("ceremony"),
                    try page.assertion(), page.caller)
                return try page.entered(tokens)
            }
            let tokens = try page.auth.completeSignIn(
                ticket: ticket, try page.secondFactorAnswer(), page.caller)
            return try page.entered(tokens)
        },
    ]
}

extension PageRequest {
    /// The answer after a first factor.
    func entered(_ result: SignInResult) throws -> Answer {
        switch result {
        case .session(let tokens): return try entered(tokens)
        case .secondFactorRequired(let ticket):
            let kept = PendingTicket(text: ticket.reveal(), acceptsPasskey: ticket.acceptsPasskey)
            return redirect(
                to: .secondFactor,
                setting: [cookies.holding(kept.cookie, .ticket, for: ticket.lifetime)])
        }
    }

    func entered(_ tokens: SessionTokens) throws -> Answer {
        var answer = try withSession(tokens)
        if let next = tokens.deviceToken { answer.cookies.append(trusted(next)) }
        return answer
    }

    private func withSession(_ tokens: SessionTokens) throws -> Answer {
        if let returning { return try handOver(tokens, to: returning) }
        let left = leaving(browserSession, for: tokens.user)
        return redirectToNext(setting: freshCookies(BrowserSession(tokens)) + left)
    }

    var ticket: PendingTicket? { cookie(.ticket).map(PendingTicket.init(cookie:)) }

    /// A code of the app, or a recovery code.
    func secondFactorAnswer() throws(RequestError) -> SecondFactorAnswer {
        if let code = try fields.optional("recoveryCode") { return .recoveryCode(code) }
        let code = try fields.required("code")
        // Only recovery codes have letters, and some people type them into the first field.
        return code.utf8.contains(where: \.isLetter) ? .recoveryCode(code) : .code(typed: code)
    }

    /// - Parameter signals: the same as for `passkeyForm`.
    func signInPage(_ problem: PageProblem?, signals: JSONObject = [:]) -> Answer {
        let email = typed("email").isEmpty ? query("login_hint") ?? "" : typed("email")
        let hasEmail = !email.isEmpty
        let form = PageForm(
            page: .signIn, button: .signInWithPassword,
            fields: [
                PageField(
                    name: "email", label: .fieldEmail, kind: hasPasskeys ? .login : .email,
                    value: email, isFirst: !hasEmail),
                PageField(
                    name: "password", label: .fieldPassword, kind: .password, isFirst: hasEmail),
            ], id: Self.passwordForm,
            more: "<p class=\"more\">\(link(.reset, .signInForgot))</p>\n")
        let others = [providerButtons] + byMail
        // Without the script, neither the form for a passkey nor the word "or" is shown.
        let isOnly = others.allSatisfy(\.text.isEmpty)
        let passkey =
            hasPasskeys
            ? passkeyForm(
                to: .passkeySignIn, "signIn", .signInWithPasskey, isOnly ? orLine : "",
                signals: signals) : ""
        return show(
            .signInTitle, problem, about: whereSignInLeads, [form],
            after: """
                \(isOnly ? "" : orLine)
                <div class="ways">
                \(HTML(joining: [passkey] + others))
                </div>
                <p class="links">\(registrationLink)\
                \(accounts.all.isEmpty ? "" : link(.accounts, .accountsHere))\
                \(passkeyLink)</p>
                """, links: [])
    }

    /// The word between the password and the other sign-in methods.
    var orLine: HTML { "<p class=\"or\">\(texts(.signInOr))</p>\n" }

    private var registrationLink: HTML {
        guard auth.policy.accounts.isOpen else { return "" }
        return """
            <span><span class="soft">\(texts(.signInNew))</span> \
            \(link(.register, .registerTitle))</span>
            """
    }

    private var passkeyLink: HTML {
        guard let address = passkeyAddress else { return "" }
        let host = Authority(of: address).text
        return """
            <a href="\(address)">\(texts(.signInPasskeyAt, [("host", host)]))</a>
            """
    }

    private static let passwordForm = "password-form"

    /// A button of the same form with another target, so that the address is typed only once.
    private var byMail: [HTML] {
        guard auth.policy.magicLinks != nil else { return [] }
        return [
            """
            <button class="way" form="\(Self.passwordForm)" formaction="\(address(.magicLink))" \
            name="ask" value="mail" formnovalidate>\(PageMark.mail)\(texts(.signInByMail))</button>

            """
        ]
    }

    func secondFactorPage(_ problem: PageProblem?) -> Answer {
        let passkey =
            ticket?.acceptsPasskey == true && hasPasskeys
            ? passkeyForm(to: .secondFactor, "secondFactor", .stepUpPasskey) : ""
        return show(
            .secondFactorTitle, problem, about: [texts(.secondFactorAbout)],
            [codeForm(.secondFactor, .secondFactorSubmit)],
            after: "\(passkey)\n\(recoveryForm(.secondFactor, .secondFactorSubmit, problem))")
    }

    func codeForm(_ page: PageName, _ button: PageText) -> PageForm {
        PageForm(
            page: page, button: button,
            fields: [PageField(name: "code", label: .fieldCode, kind: .code, isFirst: true)])
    }

    func recoveryForm(
        _ page: PageName, _ button: PageText, action: String? = nil, isDanger: Bool = false,
        _ problem: PageProblem?
    ) -> HTML {
        let field = PageField(
            name: "recoveryCode", label: .fieldRecoveryCode, kind: .recoveryCode)
        let form = PageForm(
            page: page, button: button, fields: [field], action: action, isMain: false,
            isDanger: isDanger)
        return details(
            .secondFactorRecovery, isOpen: problem?.field == field.name, html(form, problem))
    }
}

/// The browser's state between the first factor and the second.
struct PendingTicket: Sendable {
    let text: String
    let acceptsPasskey: Bool

    private static let mark = "~passkey"

    init(text: String, acceptsPasskey: Bool) {
        self.text = text
        self.acceptsPasskey = acceptsPasskey
    }

    init(cookie: String) {
        acceptsPasskey = cookie.hasSuffix(Self.mark)
        text = acceptsPasskey ? String(cookie.dropLast(Self.mark.utf8.count)) : cookie
    }

    var cookie: String { acceptsPasskey ? text + Self.mark : text }
}
