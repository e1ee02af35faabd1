internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import HTML
internal import JSON
internal import Time

/// A page, or the target of a page's form.
struct PageRoute: Sendable {
    typealias Show = @Sendable (PageRequest) throws -> Answer
    /// The page of a form, shown again with the problem.
    typealias ShowAgain = @Sendable (PageRequest, PageProblem) -> Answer

    private enum Kind { case page, form, foreignForm }

    private let name: PageName
    private let operation: AuthOperation
    private let kind: Kind
    private let again: ShowAgain
    private let answer: Show

    /// A page that a browser opens.
    static func page(
        _ name: PageName, _ operation: AuthOperation = .showPage,
        again: @escaping ShowAgain = { $0.problem($1) }, _ show: @escaping Show
    ) -> PageRoute {
        PageRoute(name: name, operation: operation, kind: .page, again: again, answer: show)
    }

    /// The target of a form that another site sends. Such a request must not change anything by
    /// itself.
    static func post(_ name: PageName, _ answer: @escaping Show) -> PageRoute {
        PageRoute(
            name: name, operation: .showPage, kind: .foreignForm, again: { $0.problem($1) },
            answer: answer)
    }

    /// The target of a page's form. The form must have been sent to this browser.
    ///
    /// - Parameter again: the page with its form.
    static func form(
        _ operation: AuthOperation, _ name: PageName,
        again: @escaping ShowAgain = { $0.problem($1) }, _ submit: @escaping Show
    ) -> PageRoute {
        PageRoute(name: name, operation: operation, kind: .form, again: again, answer: submit)
    }

    var endpoint: Endpoint {
        let body: BodyRule = kind == .form ? .form : .none
        return Endpoint(
            operation, kind == .page ? .get(name.path) : .post(name.path),
            needs: PageEndpoints.needs,
            body: body,
            problemPage: { error, response, request, auth in
                // Do not repeat fields from a form of another site.
                let fields = try? RequestBody.read(request, body, RequestRules())
                guard let page = PageRequest(request, fields ?? Fields([:]), auth) else {
                    return nil
                }
                let known = APIError(error)
                var answer = page.signIn(for: name, after: known)
                if answer == nil {
                    let problem = PageProblem(
                        known, response, of: page.fields, returnAddress: page.askedAddress,
                        unlisted: auth.logFacts.values.unlistedAddress, client: page.askedClient)
                    answer = again(page, problem)
                    answer?.status = problem.status
                    answer?.headers += problem.headers
                }
                if let failure = error as? PageFailure { answer?.cookies += failure.cookies }
                return answer
            }
        ) { call, auth in
            guard let page = PageRequest(call.request, call.body, auth) else {
                throw RequestError.notFound
            }
            if kind == .form { try page.checkForm() }
            return try answer(page)
        }
    }
}

extension PageRequest {
    /// Makes the page for errors that belong to no form.
    func problem(_ problem: PageProblem) -> Answer {
        show(.problemTitle, problem, links: [(.signIn, .problemBack)])
    }

    /// The redirect to the page where the user signs in, or proves the identity again, and then
    /// returns.
    fileprivate func signIn(for page: PageName, after error: APIError) -> Answer? {
        guard let continuation = page.continuation, case .auth(let error) = error else {
            return nil
        }
        let next = page == .stepUp ? self.next : PageDestination(continuation)
        let keeping = cookies.holding(next.text, .next, for: PageDestination.lifetime)
        if page == .account { try? keepApp() }
        switch error {
        case .session(.recentSignInRequired): return redirect(to: .stepUp, setting: [keeping])
        case .accessToken:
            return redirect(
                to: .signIn,
                setting: browserSession == nil ? [keeping] : [keeping, cookies.removing(.session)])
        default: return nil
        }
    }
}

// The pages themselves are not counted by rate limits and write nothing. The operations that they
// call are counted and audited as if an app had called them.
extension AuthOperation {
    static let showPage = AuthOperation("showPage", servedBy: "ui", counting: [], audited: .others)
    static let pageSignIn = page("pageSignIn", hashing: true)
    static let pageSecondFactor = page("pageSecondFactor")
    static let pageRegister = page("pageRegister", hashing: true)
    static let pageMail = page("pageMail")
    static let pageMailed = page("pageMailed", hashing: true)
    static let pageProvider = page("pageProvider")
    static let pagePasskey = page("pagePasskey")
    static let pageStepUp = page("pageStepUp")
    static let pageAccount = page("pageAccount")
    static let pageSignOut = page("pageSignOut")
    static let pageAccounts = page("pageAccounts")
    static let pageApplications = page("pageApplications")
    static let pageDevice = page("pageDevice")
    static let pageRevokeSession = page("pageRevokeSession")

    private static func page(_ name: String, hashing: Bool = false) -> AuthOperation {
        AuthOperation(name, servedBy: "ui", counting: [], audited: .others, hashing: hashing)
    }
}
