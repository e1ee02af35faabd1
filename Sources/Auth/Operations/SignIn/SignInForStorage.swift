package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

extension SignIn {
    /// A sign-in without a session.
    package struct StorageOutput: Sendable {
        package let user: User
        package let isNewUser: Bool
        package let codeExchange: CodeExchange?
        package let credentials: StorageCredentials
    }
}

extension AuthServices {
    /// Signs in and returns storage credentials instead of a session.
    ///
    /// The credentials are fetched before the identity token is consumed: if STS fails, the app can
    /// retry with the same token.
    package func signInForStorage(
        _ input: SignIn.Input, _ caller: Caller
    ) throws(AuthError) -> SignIn.StorageOutput {
        let close: SignIn.Close<StorageCredentials> = {
            resolved, writes, now throws(AuthError) in
            guard !resolved.user.hasSecondFactor else { throw .secondFactor(.required) }
            var audit = resolved.audit
            let issued = try self.credentials.issue(
                to: resolved.user, session: nil, IssueCredentials.Input(), &audit, caller)
            audit.record(
                resolved.isNewUser ? .accountCreated : .signedIn, session: nil, caller,
                detail: input.provider, at: now)
            guard try self.commit(writes, &audit) else { return nil }
            resolved.notice.deliver()
            return issued
        }
        let (resolved, issued, exchange) = try signIn.perform(input, caller) {
            () throws(AuthError) in close
        }
        return SignIn.StorageOutput(
            user: resolved.user, isNewUser: resolved.isNewUser, codeExchange: exchange,
            credentials: issued)
    }
}
