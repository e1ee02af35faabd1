internal import AuthDomain
package import AuthOperations
package import JSON

/// The bodies of one endpoint: how its request is read and its result is written. One case per
/// operation, so that a contract says only what differs between contracts.
package enum Exchange: Sendable {
    case challenge(write: Writer<Challenge>)
    case signIn(read: Reader<SignIn.Input>, write: Writer<SignIn.Output>)
    /// Signs in and answers with storage credentials instead of a session.
    case signInForStorage(
        read: Reader<SignIn.Input>, write: Writer<(SignIn.Output, StorageCredentials)>)
    case refresh(read: Reader<String>, write: Writer<SessionTokens>)
    case signOut(read: Reader<SignOutRequest>, write: Writer<Void>)
    case me(write: Writer<Principal>)
    case listSessions(write: Writer<Sessions>)
    /// The session is the path parameter `id`.
    case revokeSession(write: Writer<Void>)
    case credentials(read: Reader<IssueCredentials.Input>, write: Writer<StorageCredentials>)
    case keySet(write: Writer<JSON>)
    case discovery(write: Writer<JSON>)
}

package typealias Reader<Input> = @Sendable (Fields) throws(Problem) -> Input
package typealias Writer<Output> = @Sendable (Output) -> Answer

package struct SignOutRequest: Equatable, Sendable {
    package var refreshToken: String?
    package var scope: SignOut.Scope

    package init(refreshToken: String? = nil, scope: SignOut.Scope = .session) {
        self.refreshToken = refreshToken
        self.scope = scope
    }
}
