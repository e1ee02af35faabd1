internal import AuthDomain
internal import AuthOperations
internal import FunctionRuntime
internal import HTML
internal import JSON

extension Endpoint {
    typealias Show = @Sendable (PageRequest) throws -> Answer
    /// A page of a form, once more with what is wrong.
    typealias ShowAgain = @Sendable (PageRequest, PageProblem) -> Answer

    /// A page that a browser opens.
    static func page(
        _ name: PageName, _ operation: AuthOperation = .showPage, needs: ServiceNeeds,
        _ show: @escaping Show
    ) -> Endpoint {
        page(operation, .get(name.path), needs: needs, body: .none, { $0.problem($1) }, show)
    }

    /// The target of a form that another site sends. It may change nothing by itself.
    static func post(
        _ name: PageName, _ operation: AuthOperation, needs: ServiceNeeds,
        _ answer: @escaping Show
    ) -> Endpoint {
        page(operation, .post(name.path), needs: needs, body: .none, { $0.problem($1) }, answer)
    }

    /// The target of a page's form, which this browser must have been given.
    ///
    /// - Parameter again: the page with its form.
    static func form(
        _ operation: AuthOperation, _ name: PageName, needs: ServiceNeeds,
        again: @escaping ShowAgain = { $0.problem($1) }, _ submit: @escaping Show
    ) -> Endpoint {
        page(operation, .post(name.path), needs: needs, body: .form, again) { request in
            try request.checkForm()
            return try submit(request)
        }
    }

    private static func page(
        _ operation: AuthOperation, _ route: Route, needs: ServiceNeeds, body: BodyRule,
        _ again: @escaping ShowAgain, _ answer: @escaping Show
    ) -> Endpoint {
        Endpoint(
            operation, route, needs: needs, body: body,
            problemPage: { error, response, request, auth in
                // Nothing of a form of another site is shown.
                let fields = try? RequestBody.read(request, body, RequestRules())
                guard let page = PageRequest(request, fields ?? Fields([:]), auth) else {
                    return nil
                }
                let problem = PageProblem(APIError(error), response)
                var answer = again(page, problem)
                answer.status = problem.status
                answer.headers += problem.headers
                if let failure = error as? PageFailure { answer.cookies += failure.cookies }
                return answer
            }
        ) { call, auth in
            guard let page = PageRequest(call.request, call.body, auth) else {
                throw RequestError.notFound
            }
            return try answer(page)
        }
    }
}

extension PageRequest {
    /// The page for errors that belong to no form.
    func problem(_ problem: PageProblem) -> Answer {
        answer(
            title: .problemTitle,
            """
            \(heading(.problemTitle, problem))
            <p class="links">\(link(.signIn, .problemBack))</p>
            """)
    }
}

// The pages count nothing and write nothing themselves: what they ask for counts, and is in the
// audit log, as if an app had asked.
extension AuthOperation {
    static let showPage = AuthOperation("showPage", servedBy: "ui", counting: [], audited: .others)
    static let pageSignIn = page("pageSignIn")
    static let pageSecondFactor = page("pageSecondFactor")
    static let pageRegister = page("pageRegister")
    static let pageMail = page("pageMail")
    static let pageMailed = page("pageMailed")
    static let pageProvider = page("pageProvider")
    static let pageSignOut = page("pageSignOut")
    static let pageRevokeSession = page("pageRevokeSession")

    private static func page(_ name: String) -> AuthOperation {
        AuthOperation(name, servedBy: "ui", counting: [], audited: .others)
    }
}
