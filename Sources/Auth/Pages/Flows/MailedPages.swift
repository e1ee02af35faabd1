internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import HTML
internal import Time

// Pages of mailed links. Mail scanners may open them, so the link is used only by their form, or by
// the browser that began the registration. Without a link they ask for the code of the mail, and
// without both they offer another mail.
extension PageEndpoints {
    static let mailed: [PageRoute] = MailedPage.all.flatMap { mailed in
        [
            PageRoute.page(mailed.name, again: { $0.mailedPage(mailed, $1) }) { page in
                try mailed.open(page) ?? page.mailedPage(mailed, nil)
            },
            PageRoute.form(.pageMailed, mailed.name, again: { $0.mailedPage(mailed, $1) }) { page in
                guard let ask = mailed.ask, page.fields.has("ask") else {
                    return try mailed.submit(page)
                }
                let mail = try ask(page, try page.fields.email())
                return page.mailed(
                    mail, to: mailed.name, page.asksAgain ? .sentAgain : nil)
            },
        ]
    }
}

/// A page of a mailed link.
struct MailedPage: Sendable {
    let name: PageName
    let title: PageText
    let button: PageText
    var about: PageText?
    /// The password that is required in addition to the link or the code.
    var password: Password?
    var takesCode = true
    /// The answer to the link itself, in the browser that may use it without a form.
    var open: @Sendable (PageRequest) throws -> Answer? = { _ in nil }
    /// Mails another code and link. nil for mails of signed-in users, who ask for them on another
    /// page.
    var ask: (@Sendable (PageRequest, EmailAddress) throws -> RequestedMail)?
    let submit: @Sendable (PageRequest) throws -> Answer

    /// The text of the page if the browser has asked for no mail.
    var aboutMissing: PageText {
        if !takesCode { return .mailedIncomplete }
        return isOfAccount ? .mailedExpired : .mailedNone
    }

    /// Whether the mail is requested on a page of the account.
    var isOfAccount: Bool { takesCode && ask == nil }

    /// Whether a used link has probably made an account.
    var makesAccount: Bool { password == .repeated }

    enum Password { case chosen, repeated }

    static let all = [
        MailedPage(
            name: .magicLink, title: .magicLinkTitle, button: .magicLinkSubmit,
            open: { page in
                // Only the browser that asked for the link may use it, so any other browser is told
                // at once.
                guard page.query("token") != nil, page.requestedMail == nil,
                    page.auth.policy.magicLinks?.needsRequestSecret == true
                else { return nil }
                throw AuthError.emailLink(.invalid)
            },
            ask: { page, email in
                RequestedMail(
                    secret: try page.auth.requestMagicLink(email, page.caller),
                    address: email.text)
            }
        ) { page in
            let secret = page.requestedMail?.secret
            var input =
                switch try page.mailAnswer() {
                case .token(let token):
                    RedeemMagicLink.Input(token: token, requestSecret: secret)
                case .code(let code, let secret):
                    RedeemMagicLink.Input(code: code, requestSecret: secret)
                }
            input.device = page.device
            return try page.entered(
                try page.auth.redeemMagicLink(input, page.caller).result)
        },
        MailedPage(
            name: .verifyEmail, title: .verifyEmailTitle, button: .verifyEmailSubmit,
            password: .repeated,
            open: { page in
                guard let token = page.query("token"), let mail = page.requestedMail,
                    mail.isOfRegistrant,
                    CompleteRegistration.isOneMail(token: token, requestSecret: mail.secret)
                else { return nil }
                return try page.entered(
                    try page.auth.completeRegistration(
                        .token(token), password: nil, requestSecret: mail.secret, page.caller))
            },
            ask: { page, email in
                let former = page.requestedMail
                return RequestedMail(
                    secret: try page.auth.resendVerification(
                        email, requestSecret: former?.secret, page.caller),
                    address: email.text,
                    isOfRegistrant: former.map { $0.isOfRegistrant && $0.address == email.text }
                        ?? false)
            }
        ) { page in
            // Without a password, only the browser that chose the password is accepted.
            let password =
                page.isOfRegistrant && !page.fields.has("token")
                ? try page.fields.optional("password") : try page.fields.required("password")
            return try page.entered(
                try page.auth.completeRegistration(
                    try page.mailAnswer(), password: password, page.caller))
        },
        MailedPage(
            name: .resetPassword, title: .resetPasswordTitle, button: .resetPasswordSubmit,
            password: .chosen,
            ask: { page, email in
                RequestedMail(
                    secret: try page.auth.forgotPassword(email, page.caller), address: email.text)
            }
        ) { page in
            try page.auth.resetPassword(
                try page.mailAnswer(), newPassword: try page.fields.required("newPassword"),
                page.caller)
            return page.redirect(
                to: .signIn, .passwordChanged, setting: page.freshCookies(nil))
        },
        MailedPage(
            name: .addPassword, title: .addPasswordTitle, button: .addPasswordSubmit
        ) { page in
            try page.signedIn { session in
                _ = try page.auth.completeAddPassword(try page.mailAnswer(), session.caller)
                return page.redirect(to: .account, .passwordAdded)
            }
        },
        MailedPage(
            name: .confirmEmail, title: .confirmEmailTitle, button: .confirmEmailSubmit
        ) { page in
            try page.signedIn { session in
                _ = try page.auth.verifyAddress(try page.mailAnswer(), session.caller)
                return page.redirect(to: .account, .addressConfirmed)
            }
        },
        MailedPage(
            name: .undoEmail, title: .undoEmailTitle, button: .undoEmailSubmit,
            about: .undoEmailAbout, takesCode: false
        ) { page in
            try page.auth.undoAddressChange(
                token: try page.fields.required("token"), page.caller)
            return page.redirect(
                to: .signIn, .addressRestored, setting: page.freshCookies(nil))
        },
        MailedPage(
            name: .undoChange, title: .undoChangeTitle, button: .undoChangeSubmit,
            about: .undoChangeAbout, takesCode: false
        ) { page in
            try page.auth.undoMethodChange(
                token: try page.fields.required("token"), page.caller)
            return page.redirect(to: .reset, .changeUndone, setting: page.freshCookies(nil))
        },
    ]
}

extension RequestedMail {
    /// Lifetime of the cookie, equal to the lifetime of the longest-lived mailed link.
    static let lifetime = Span.hours(24)
}

extension PageRequest {
    var requestedMail: RequestedMail? { RequestedMail(cookie: cookie(.mail)) }

    /// The link, or the code with the secret of the request, which the browser holds.
    func mailAnswer() throws(RequestError) -> MailAnswer {
        if let token = try fields.optional("token") { return .token(token) }
        return .code(
            try fields.required("code"), requestSecret: requestedMail?.secret ?? "")
    }

    fileprivate var isOfRegistrant: Bool { requestedMail?.isOfRegistrant ?? false }
    /// Whether the form asks for another mail on the page of the mail, and not on the page before
    /// it.
    fileprivate var asksAgain: Bool { typed("ask").utf8.elementsEqual("again".utf8) }

    func mailedPage(_ mailed: MailedPage, _ refused: PageProblem?) -> Answer {
        var problem = refused
        // A refused request for a mail is shown on the page where it was made.
        if fields.has("ask"), !asksAgain { return signInPage(problem) }
        let typedToken = typed("token")
        let token = typedToken.isEmpty ? query("token") ?? "" : typedToken
        let hasMail = !token.isEmpty || mailed.takesCode && requestedMail != nil
        // A link that was refused once remains invalid.
        let isSpent = !token.isEmpty && problem?.isSpentMail == true
        let needsMail = !hasMail || isSpent
        let isDone = isSpent && mailed.makesAccount
        if isDone { problem?.replaceLink(by: .verifyEmailSpent) }
        var lines: [String] = []
        if needsMail {
            if !isSpent { lines = [texts(mailed.aboutMissing)] }
        } else {
            lines = introduction(mailed, hasToken: !token.isEmpty)
        }
        var forms = needsMail ? [] : [form(mailed, token: token)]
        var after = HTML()
        if mailed.ask != nil {
            let again = again(mailed, isMain: needsMail && !isDone)
            if isDone {
                forms = []
                after = button(.signIn, .signInTitle)
                after.append(details(.mailedLost, html(again, problem)))
            } else if needsMail {
                forms = [again]
            } else {
                after = details(.mailedLost, isOpen: problem != nil, html(again, problem))
            }
        }
        return show(
            mailed.title, problem, about: lines, forms, after: after,
            links: (mailed.isOfAccount || mailed.makesAccount) && browserSession != nil
                ? [(.account, .accountBack)] : isDone ? [] : [(.signIn, .signInBack)])
    }

    private func form(_ mailed: MailedPage, token: String) -> PageForm {
        var form = PageForm(page: mailed.name, button: mailed.button)
        if token.isEmpty {
            form.fields.append(
                PageField(name: "code", label: .fieldCode, kind: .code, isFirst: true))
        } else {
            form.hidden = [("token", token)]
        }
        switch mailed.password {
        case nil: break
        case .chosen:
            form.fields.append(newPasswordField(.fieldNewPassword, isFirst: !token.isEmpty))
        case .repeated where isOfRegistrant && token.isEmpty: break
        case .repeated:
            form.fields.append(
                PageField(
                    name: "password", label: .fieldPassword, kind: .password,
                    isFirst: !token.isEmpty))
        }
        return form
    }

    /// The form that asks for another mail: to the same address, if the browser has asked before.
    private func again(_ mailed: MailedPage, isMain: Bool) -> PageForm {
        var form = PageForm(
            page: mailed.name, button: isMain ? .resetSubmit : .mailedAgain,
            hidden: [("ask", "again")], isMain: isMain)
        if let address = requestedMail?.address, !isMain, typed("email").isEmpty {
            form.hidden.append(("email", address))
        } else {
            form.fields = [
                PageField(
                    name: "email", label: .fieldEmail, kind: .email,
                    value: typed("email").isEmpty
                        ? requestedMail?.address ?? "" : typed("email"), isFirst: isMain)
            ]
        }
        return form
    }

    /// A link with the look of a form's button.
    private func button(_ page: PageName, _ text: PageText) -> HTML {
        let back: HTML =
            returning == nil
            ? "" : "<input type=\"hidden\" name=\"\(Self.backMark)\" value=\"app\">"
        return """
            <form method="get" action="\(address(page))">
            \(localesField)\(back)<button class="main">\(texts(text))</button>
            </form>

            """
    }

    private func introduction(_ mailed: MailedPage, hasToken: Bool) -> [String] {
        var lines: [String] = []
        if !hasToken, let mail = requestedMail {
            lines.append(texts(.mailedSent, [("email", mail.address)]))
        } else if mailed.about == nil, mailed.password != .repeated {
            lines.append(texts(mailed.password == .chosen ? .mailedChoose : .mailedOpen))
        }
        if mailed.password == .repeated, hasToken || !isOfRegistrant {
            lines.append(texts(hasToken ? .verifyEmailElsewhere : .verifyEmailAbout))
        }
        if let about = mailed.about { lines.append(texts(about)) }
        return lines
    }
}
