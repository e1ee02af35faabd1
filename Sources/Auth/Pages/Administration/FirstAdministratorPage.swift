internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// The form in which the operator of a new server creates the first administrator.
enum FirstAdministratorPage {
    static let path = ContractPages.firstAdministrator

    static let endpoints: [Endpoint] = [
        Endpoint(
            .firstAdministratorPage, .get(path), needs: PageEndpoints.needs, body: .none,
            problemPage: { error, response, request, auth in
                let known = APIError(error)
                return overPlainHTTP(known, response, request, auth)
                    ?? closed(known, response, request, auth)
            }
        ) { call, auth in
            guard auth.policy.pages != nil else { throw RequestError.notFound }
            try checkConnection(call, auth)
            try auth.firstAdministrator.check(call.query("token") ?? "")
            return form(200, call.request, auth, token: call.query("token") ?? "")
        },
        Endpoint(
            .makeFirstAdministrator, .post(path), needs: PageEndpoints.needs, body: .form,
            problemPage: { error, response, request, auth in
                let known = APIError(error)
                if let page = overPlainHTTP(known, response, request, auth) { return page }
                if case .auth(.emailLink) = known {
                    return closed(known, response, request, auth)
                }
                return again(known, response, request, auth)
            }
        ) { call, auth in
            try checkConnection(call, auth)
            try call.refuseCrossOriginPage()
            guard let page = PageRequest(call.request, call.body, auth) else {
                throw RequestError.notFound
            }
            let input = Register.Input(
                email: try call.body.email(), password: try call.body.required("newPassword"),
                displayName: try call.body.optional("name"))
            let tokens = try auth.firstAdministrator(
                input, token: try call.body.required("token"), call.caller)
            return .redirect(
                to: AdminLook.relative(ContractPages.administration, from: call.path),
                cookies: page.freshCookies(BrowserSession(tokens)))
        },
        // This endpoint is for direct invocation, which IAM authorizes, and for the server's
        // operator.
        Endpoint(
            .inviteFirstAdministrator, nil,
            selectedBy: DirectSelector("action", is: "inviteFirstAdministrator")
        ) { _, auth in
            let token = try auth.firstAdministrator.invite()
            let link = token.map {
                ContractPages.firstAdministratorLink(token: $0, issuer: auth.issuer)
            }
            return Answer([
                "link": link.map { .string($0) } ?? .null,
                "token": token.map { .string($0) } ?? .null,
                "hours": .number(JSONNumber(FirstAdministrator.linkLifetime.seconds / 3600)),
            ])
        },
    ]

    /// Other people on the network could read the link and the new password.
    private static func checkConnection(_ call: Call, _ auth: AuthServices) throws(RequestError) {
        guard PlainConnection(call.request, issuer: auth.issuer) == nil else {
            throw .insecureScheme
        }
    }

    // MARK: Pages

    private static func overPlainHTTP(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer? {
        guard case .request(.insecureScheme) = error else { return nil }
        return AdminLook.overPlainHTTP(
            response, request, auth, heading: AdminTexts(request.pageLanguage)(.firstTitle))
    }

    /// The form again, without the password.
    private static func again(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer {
        let fields =
            PercentEncoding.parseForm(
                String(decoding: request.body, as: UTF8.self), pairsMax: 16) ?? []
        func typed(_ name: String) -> String {
            fields.first { $0.0.isSame(as: name) }?.1 ?? ""
        }
        var answer = form(
            response.status, request, auth, token: typed("token"), email: typed("email"),
            name: typed("name"), problem: PageProblem(error, response, of: Fields([:])))
        answer.headers += response.headers
        return answer
    }

    private static func form(
        _ status: Int, _ request: Request, _ auth: AuthServices, token: String, email: String = "",
        name: String = "", problem: PageProblem? = nil
    ) -> Answer {
        let texts = PageText.texts(in: request.pageLanguage)
        let own = AdminTexts(texts.language)
        let fields = fields(email: email, name: name, hasFocus: problem == nil, auth, texts)
        let isAtField = fields.contains { $0.name == problem?.field }
        let says: HTML =
            problem.map {
                isAtField
                    ? HTML() : "<p class=\"says bad\" role=\"alert\">\($0.text(texts))</p>"
            } ?? HTML()
        // The form's address is relative, because it is sent to the same page.
        return AdminLook.answer(
            status, title: own(.firstTitle), app: auth.appName, in: own.language,
            script: AdminLook.relative("/auth/ui/\(PageScript.path)", from: request.path),
            """
            <h1>\(own(.firstTitle))</h1>
            <p class="soft">\(own(.firstAbout))</p>
            \(says)
            <form method="post" action="\(request.keepingLocales("first"))" accept-charset="utf-8">
            <input type="hidden" name="token" value="\(token)">
            \(HTML(joining: fields.map { $0.html(texts, problem) }))\
            <button class="main">\(own(.firstSubmit))</button>
            </form>
            """)
    }

    private static func fields(
        email: String, name: String, hasFocus: Bool, _ auth: AuthServices, _ texts: PageTexts
    ) -> [PageField] {
        let hint = auth.policy.passwords.map {
            texts(.hintPassword, [("count", "\($0.rules.charactersMin)")])
        }
        return [
            PageField(
                name: "email", label: .fieldEmail, kind: .email, value: email, isFirst: hasFocus),
            PageField(name: "newPassword", label: .fieldPassword, kind: .newPassword, hint: hint),
            PageField(
                name: "name", label: .fieldName, kind: .text, value: name, isOptional: true),
        ]
    }

    private static func closed(
        _ error: APIError, _ response: ErrorResponse, _ request: Request, _ auth: AuthServices
    ) -> Answer {
        var isLink = false
        if case .auth(.emailLink) = error { isLink = true }
        let texts = AdminTexts(request.pageLanguage)
        let message = isLink ? texts(.firstSpent) : texts.problem(error, response)
        let another: HTML = isLink ? "<p>\(another(auth, texts))</p>\n" : HTML()
        let signIn = AdminLook.relative(AdminEndpoints.loginPath, from: request.path)
        return AdminLook.answer(
            response.status, title: texts(.firstTitle), app: auth.appName, in: texts.language,
            """
            <h1>\(texts(.firstClosed))</h1>
            <p class="says bad" role="alert">\(message)</p>
            <a class="go" href="\(request.keepingLocales(signIn))">\(texts(.firstSignIn))</a>
            \(another)
            """)
    }

    /// How the operator of this host gets another link. Only servers count activity.
    private static func another(_ auth: AuthServices, _ texts: AdminTexts) -> HTML {
        auth.activity != nil
            ? texts.html(.firstAnother, "command", "<code>latchkey admin invite</code>")
            : texts.html(
                .firstAnotherFunction, "name", "<code>admin</code>", "command",
                "<code>\(#"{"action":"inviteFirstAdministrator"}"#)</code>")
    }
}

extension AuthOperation {
    static let firstAdministratorPage = administration("firstAdministratorPage")
}
