internal import AuthDomain
internal import KeyValueStore

/// Signs in and answers with storage credentials instead of a session.
///
/// The credentials are fetched before the identity token is used up: when STS cannot answer, the
/// app tries again with the same token, and nobody has to go back to their provider.
package struct SignInForStorage: Sendable {
    private let signIn: SignIn
    private let credentials: IssueCredentials

    package init(signIn: SignIn, credentials: IssueCredentials) {
        self.signIn = signIn
        self.credentials = credentials
    }

    package func callAsFunction(
        _ input: SignIn.Input, _ context: RequestContext
    ) throws(Problem) -> (SignIn.Output, StorageCredentials) {
        var issued: StorageCredentials?
        let output = try signIn.perform(input, startsSession: false, context) {
            user throws(Problem) in
            let wanted = IssueCredentials.Input()
            let (fresh, audit) = try credentials.issue(to: user, session: nil, wanted, context)
            issued = fresh
            return [audit]
        }
        guard let issued else { throw .fault(.storedDataUnreadable) }
        return (output, issued)
    }
}
