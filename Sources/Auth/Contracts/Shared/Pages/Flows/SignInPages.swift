internal import AuthDomain
internal import AuthOperations
internal import HTML
internal import Time

extension PageEndpoints {
    static let signIn: [Endpoint] = [
        .page(.signIn, needs: needs) { page in
            let page = try page.keepingReturn()
            // The account's page says whether the session is alive.
            return page.browserSession == nil || page.query("notice") != nil
                || page.returning != nil
                ? page.signInPage(nil) : page.redirect(to: .account)
        },
        .form(.pageSignIn, .signIn, needs: needs, again: { $0.signInPage($1) }) { page in
            let input = LogIn.Input(
                email: try page.fields.email(), password: try page.fields.required("password"))
            return try page.entered(try page.auth.logIn(input, page.caller))
        },
        .page(.secondFactor, needs: needs) { page in
            page.cookie(.ticket) == nil
                ? page.redirect(to: .signIn) : page.secondFactorPage(nil)
        },
        .form(
            .pageSecondFactor, .secondFactor, needs: needs, again: { $0.secondFactorPage($1) }
        ) { page in
            guard let ticket = page.cookie(.ticket) else {
                throw AuthError.secondFactor(.ticketInvalid)
            }
            let recovery = try page.fields.optional("recoveryCode")
            let answer: SecondFactorAnswer =
                if let recovery { .recoveryCode(recovery) } else {
                    .code(typed: try page.fields.required("code"))
                }
            let tokens = try page.auth.completeSignIn(ticket: ticket, answer, page.caller)
            return try page.entered(tokens)
        },
    ]
}

extension PageRequest {
    /// After a first factor.
    func entered(_ result: SignInResult) throws -> Answer {
        switch result {
        case .session(let tokens): return try entered(tokens)
        case .secondFactorRequired(let ticket):
            return redirect(
                to: .secondFactor,
                setting: [cookies.holding(ticket.reveal(), .ticket, for: ticket.lifetime)])
        }
    }

    /// The earlier session, if there is one, ends: its cookie is replaced.
    func entered(_ tokens: SessionTokens) throws -> Answer {
        if let returning { return try handOver(tokens, to: returning) }
        if let former = browserSession {
            // An error does not stop the sign-in: an unused session ends when it is idle.
            try? auth.signOut(refreshToken: former.refresh, scope: .session, caller)
        }
        return redirect(to: .account, setting: freshCookies(BrowserSession(tokens)))
    }

    func signInPage(_ problem: PageProblem?) -> Answer {
        let fields = [
            PageField(
                name: "email", label: .fieldEmail, kind: .email, value: typed("email"),
                isFirst: typed("email").isEmpty),
            PageField(
                name: "password", label: .fieldPassword, kind: .password,
                isFirst: !typed("email").isEmpty),
        ]
        return answer(
            title: .signInTitle,
            """
            \(heading(.signInTitle, problem, fields))
            \(problem == nil ? notice : "")
            \(formHTML(to: .signIn, """
                \(inputs(fields, problem))
                <button class="main">\(texts(.signInWithPassword))</button>
                \(byMail)
                """))
            \(providerButtons(.providerContinue))
            <p class="links"><span><span class="soft">\(texts(.signInNew))</span> \
            \(link(.register, .registerTitle))</span>\(link(.reset, .signInForgot))</p>
            """)
    }

    /// The same form, sent elsewhere: the address is typed once.
    private var byMail: HTML {
        guard auth.policy.magicLinks != nil else { return "" }
        return """
            <button formaction="\(address(.magicLink))" name="ask" value="mail" formnovalidate>\
            \(texts(.signInByMail))</button>
            """
    }

    func secondFactorPage(_ problem: PageProblem?) -> Answer {
        let code = PageField(name: "code", label: .fieldCode, kind: .code, isFirst: true)
        let recovery = PageField(
            name: "recoveryCode", label: .fieldRecoveryCode, kind: .recoveryCode)
        return answer(
            title: .secondFactorTitle,
            """
            \(heading(.secondFactorTitle, problem, [code, recovery]))
            <p class="soft">\(texts(.secondFactorAbout))</p>
            \(formHTML(to: .secondFactor, """
                \(inputs([code], problem))
                <button class="main">\(texts(.secondFactorSubmit))</button>
                """))
            <details class="links"><summary>\(texts(.secondFactorRecovery))</summary>
            \(formHTML(to: .secondFactor, """
                \(inputs([recovery], problem))
                <button>\(texts(.secondFactorSubmit))</button>
                """))</details>
            <p class="links">\(link(.signIn, .signInBack))</p>
            """)
    }
}
