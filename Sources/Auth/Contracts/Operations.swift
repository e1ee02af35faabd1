package import AuthOperations

/// Every operation, built. Storage is nil where no bucket is configured.
package struct Operations: Sendable {
    package let challenge: IssueChallenge
    package let signIn: SignIn
    package let refresh: RefreshSession
    package let signOut: SignOut
    package let authenticate: Authenticate
    package let listSessions: ListSessions
    package let revokeSession: RevokeSession
    package let credentials: IssueCredentials?
    package let publishKeys: PublishKeys

    package init(
        challenge: IssueChallenge, signIn: SignIn, refresh: RefreshSession, signOut: SignOut,
        authenticate: Authenticate, listSessions: ListSessions, revokeSession: RevokeSession,
        credentials: IssueCredentials?, publishKeys: PublishKeys
    ) {
        self.challenge = challenge
        self.signIn = signIn
        self.refresh = refresh
        self.signOut = signOut
        self.authenticate = authenticate
        self.listSessions = listSessions
        self.revokeSession = revokeSession
        self.credentials = credentials
        self.publishKeys = publishKeys
    }
}
