internal import AuthDomain
internal import KeyValueStore

/// Signs in and returns storage credentials instead of a session.
///
/// The credentials are fetched before the identity token is consumed: if STS fails, the app can
/// retry with the same token.
package struct SignInForStorage: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    package func callAsFunction(
        _ input: SignIn.Input, _ caller: Caller
    ) throws(AuthError) -> (SignIn.Output, StorageCredentials) {
        var issued: StorageCredentials?
        let output = try auth.signIn.perform(input, startsSession: false, caller) {
            user, audit throws(AuthError) in
            issued = try auth.credentials.issue(
                to: user, session: nil, IssueCredentials.Input(), &audit, caller)
        }
        guard let issued else { throw .fault(.storedDataUnreadable) }
        return (output, issued)
    }
}

extension AuthServices {
    package var signInForStorage: SignInForStorage { SignInForStorage(self) }
}
