internal import AuthDomain
internal import AuthOperations
internal import HTML

// Pages that ask for a mail.
extension PageEndpoints {
    static let registration: [Endpoint] = [
        .page(.register, needs: needs) { try $0.keepingReturn().registerPage(nil) },
        .form(.pageRegister, .register, needs: needs, again: { $0.registerPage($1) }) { page in
            let input = Register.Input(
                email: try page.fields.email(),
                password: try page.fields.required("newPassword"),
                displayName: try page.fields.optional("name"))
            let output = try page.auth.register(input, page.caller)
            return page.mailed(
                RequestedMail(secret: output.requestSecret, address: input.email.text),
                to: .verifyEmail)
        },
        .page(.reset, needs: needs) { $0.resetPage(nil) },
        .form(.pageMail, .reset, needs: needs, again: { $0.resetPage($1) }) { page in
            let email = try page.fields.email()
            let secret = try page.auth.forgotPassword(email, page.caller)
            return page.mailed(
                RequestedMail(secret: secret, address: email.text), to: .resetPassword)
        },
    ]
}

extension PageRequest {
    /// The same for every address: whether a mail was sent is not said.
    func mailed(_ mail: RequestedMail, to page: PageName) -> Answer {
        redirect(
            to: page,
            setting: [cookies.holding(mail.cookie, .mail, for: RequestedMail.lifetime)])
    }

    func registerPage(_ problem: PageProblem?) -> Answer {
        let fields = [
            PageField(
                name: "email", label: .fieldEmail, kind: .email, value: typed("email"),
                isFirst: true),
            PageField(
                name: "newPassword", label: .fieldPassword, kind: .newPassword,
                hint: passwordHint),
            PageField(
                name: "name", label: .fieldName, kind: .text, value: typed("name"),
                isOptional: true),
        ]
        return answer(
            title: .registerTitle,
            """
            \(heading(.registerTitle, problem, fields))
            \(formHTML(to: .register, """
                \(inputs(fields, problem))
                <button class="main">\(texts(.registerSubmit))</button>
                """))
            \(providerButtons(.providerContinue))
            <p class="links"><span><span class="soft">\(texts(.signInKnown))</span> \
            \(link(.signIn, .signInTitle))</span></p>
            """)
    }

    func resetPage(_ problem: PageProblem?) -> Answer {
        let field = PageField(
            name: "email", label: .fieldEmail, kind: .email, value: typed("email"), isFirst: true)
        return answer(
            title: .resetTitle,
            """
            \(heading(.resetTitle, problem, [field]))
            <p class="soft">\(texts(.resetAbout))</p>
            \(formHTML(to: .reset, """
                \(inputs([field], problem))
                <button class="main">\(texts(.resetSubmit))</button>
                """))
            <p class="links">\(link(.signIn, .signInBack))</p>
            """)
    }

    var passwordHint: String? {
        auth.policy.passwords.map {
            texts(.hintPassword, [("count", "\($0.rules.charactersMin)")])
        }
    }
}
