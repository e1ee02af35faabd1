internal import AuthDomain
internal import KeyValueStore

extension AuthServices {
    /// Signs in and returns storage credentials instead of a session.
    ///
    /// The credentials are fetched before the identity token is consumed: if STS fails, the app can
    /// retry with the same token.
    package func signInForStorage(
        _ input: SignIn.Input, _ caller: Caller
    ) throws(AuthError) -> (SignIn.Output, StorageCredentials) {
        var issued: StorageCredentials?
        let output = try signIn.perform(input, startsSession: false, caller) {
            user, audit throws(AuthError) in
            issued = try credentials.issue(
                to: user, session: nil, IssueCredentials.Input(), &audit, caller)
        }
        guard let issued else { throw .fault(.storedDataUnreadable) }
        return (output, issued)
    }
}
