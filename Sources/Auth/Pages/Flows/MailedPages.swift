internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import HTML
internal import Time

// Pages of mailed links, which scanners of mail may open: only their form uses the link. Without a
// link they take the code of the mail.
extension PageEndpoints {
    static let mailed: [PageRoute] = MailedPage.all.flatMap { mailed in
        [
            PageRoute.page(mailed.name) { $0.mailedPage(mailed, nil) },
            PageRoute.form(.pageMailed, mailed.name, again: { $0.mailedPage(mailed, $1) }) {
                try mailed.submit($0)
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
    /// Besides the link or the code.
    var password: Password?
    var takesCode = true
    let submit: @Sendable (PageRequest) throws -> Answer

    enum Password { case chosen, repeated }

    static let all = [
        MailedPage(
            name: .magicLink, title: .magicLinkTitle, button: .magicLinkSubmit
        ) { page in
            if page.fields.has("ask") {
                let email = try page.fields.email()
                let secret = try page.auth.requestMagicLink(email, page.caller)
                return page.mailed(
                    RequestedMail(secret: secret, address: email.text), to: .magicLink)
            }
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
            about: .verifyEmailAbout, password: .repeated
        ) { page in
            let tokens = try page.auth.completeRegistration(
                try page.mailAnswer(), password: try page.fields.required("password"),
                page.caller)
            return try page.entered(tokens)
        },
        MailedPage(
            name: .resetPassword, title: .resetPasswordTitle, button: .resetPasswordSubmit,
            password: .chosen
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
    ]
}

extension RequestedMail {
    /// Lifetime of the cookie, equal to that of the longest-lived mailed link.
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

    func mailedPage(_ mailed: MailedPage, _ problem: PageProblem?) -> Answer {
        let typedToken = typed("token")
        let token = typedToken.isEmpty ? query("token") ?? "" : typedToken
        // A request for a mail that was refused, at the page from which it came.
        if fields.has("ask") { return signInPage(problem) }
        guard !token.isEmpty || requestedMail != nil || !mailed.takesCode else {
            return show(mailed.title, problem, about: [texts(.mailedNone)])
        }
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
        case .repeated:
            form.fields.append(
                PageField(
                    name: "password", label: .fieldPassword, kind: .password,
                    isFirst: !token.isEmpty))
        }
        return show(
            mailed.title, problem, about: introduction(mailed, hasToken: !token.isEmpty), [form])
    }

    private func introduction(_ mailed: MailedPage, hasToken: Bool) -> [String] {
        var lines: [String] = []
        if !hasToken, let mail = requestedMail {
            lines.append(texts(.mailedSent, [("email", mail.address)]))
        } else if mailed.about == nil {
            lines.append(texts(.mailedOpen))
        }
        if let about = mailed.about { lines.append(texts(about)) }
        return lines
    }
}
