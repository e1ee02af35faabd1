internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import HTML

// Pages that ask for a mail.
extension PageEndpoints {
    static let registration: [PageRoute] = [
        .page(.register) { page in
            try page.keepReturn()
            return page.registerPage(nil)
        },
        .form(.pageRegister, .register, again: { $0.registerPage($1) }) { page in
            let input = Register.Input(
                email: try page.fields.email(),
                password: try page.fields.required("newPassword"),
                displayName: try page.fields.optional("name"))
            let output = try page.auth.register(input, page.caller)
            return page.mailed(
                RequestedMail(
                    secret: output.requestSecret, address: input.email.text,
                    isOfRegistrant: true),
                to: .verifyEmail)
        },
        .page(.reset) { $0.resetPage(nil) },
        .form(.pageMail, .reset, again: { $0.resetPage($1) }) { page in
            let email = try page.fields.email()
            let secret = try page.auth.forgotPassword(email, page.caller)
            return page.mailed(
                RequestedMail(secret: secret, address: email.text), to: .resetPassword)
        },
    ]
}

extension PageRequest {
    /// The page is the same for every address, so that it does not reveal whether a mail was sent.
    func mailed(
        _ mail: RequestedMail, to page: PageName, _ notice: PageNotice? = nil
    ) -> Answer {
        redirect(
            to: page, notice,
            setting: [cookies.holding(mail.cookie, .mail, for: RequestedMail.lifetime)])
    }

    func registerPage(_ problem: PageProblem?) -> Answer {
        guard auth.policy.accounts.isOpen else {
            return show(.registerTitle, problem, about: [texts(.problemSignUpClosed)], [])
        }
        let form = PageForm(
            page: .register, button: .registerSubmit,
            fields: [
                PageField(
                    name: "email", label: .fieldEmail, kind: .email, value: typed("email"),
                    isFirst: true),
                newPasswordField(.fieldPassword),
                PageField(
                    name: "name", label: .fieldName, kind: .text, value: typed("name"),
                    isOptional: true),
            ])
        let providers = providerButtons
        return show(
            .registerTitle, problem, about: whereSignInLeads, [form],
            after: """
                \(providers.text.isEmpty ? "" : orLine)
                <div class="ways">\(providers)</div>
                <p class="links"><span><span class="soft">\(texts(.signInKnown))</span> \
                \(link(.signIn, .signInTitle))</span></p>
                """, links: [])
    }

    func resetPage(_ problem: PageProblem?) -> Answer {
        let field = PageField(
            name: "email", label: .fieldEmail, kind: .email, value: typed("email"), isFirst: true)
        return show(
            .resetTitle, problem, about: [texts(.resetAbout)],
            [PageForm(page: .reset, button: .resetSubmit, fields: [field])])
    }

    func newPasswordField(_ label: PageText, isFirst: Bool = false) -> PageField {
        PageField(
            name: "newPassword", label: label, kind: .newPassword,
            hint: auth.policy.passwords.map {
                texts(.hintPassword, [("count", "\($0.rules.charactersMin)")])
            }, isFirst: isFirst)
    }
}
