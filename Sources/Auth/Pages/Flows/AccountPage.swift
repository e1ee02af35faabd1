internal import AuthDomain
internal import AuthOperations
internal import Contracts

/// A page on which signed-in users change something of their account.
struct AccountPage: Sendable {
    typealias Show = @Sendable (PageRequest, PageSession, PageProblem?) throws -> Answer

    let name: PageName
    let operation: AuthOperation
    /// Whether the page asks for a recent sign-in before it shows its form.
    var isSensitive = false
    let show: Show
    let submit: @Sendable (PageRequest, PageSession) throws -> Answer

    var routes: [PageRoute] {
        [
            .page(name) { page in
                try page.signedIn { session in
                    if isSensitive {
                        try page.auth.requireRecentSignIn(session.principal)
                    }
                    return try show(page, session, nil)
                }
            },
            .form(
                operation, name,
                again: { page, problem in
                    let shown = try? page.signedIn { try show(page, $0, problem) }
                    return shown ?? page.problem(problem)
                }
            ) { page in
                try page.signedIn { try submit(page, $0) }
            },
        ]
    }
}
