package import AuthDomain
internal import KeyValueStore
internal import Time

/// Turns a bearer token into a user whose session is alive now.
///
/// Session and user are read in one call each time, so that sign-out, revocation and disabling take
/// effect at once and not when the token expires.
package struct Authenticate: Sendable {
    private let auth: AuthServices

    fileprivate init(_ auth: AuthServices) { self.auth = auth }

    /// - Parameter operation: whose rate limits are counted in the same call.
    package func callAsFunction(
        _ caller: Caller, for operation: AuthOperation
    ) throws(AuthError) -> Principal {
        try open(caller, for: operation) { _ in [] }.principal
    }

    /// The same, and in the one read what the operation needs besides.
    ///
    /// - Parameter keys: of the user who the token names; nothing that is read there may be shown or
    ///   used before this returns.
    func open(
        _ caller: Caller, for operation: AuthOperation, reading keys: (UserID) -> [ItemKey]
    ) throws(AuthError) -> (principal: Principal, items: [Item?]) {
        // 1. A token that we made, for this audience, not expired.
        guard case .token(let text) = caller.bearer else { throw .accessToken(.missing) }
        let claims = try auth.accessTokens.verify(text, at: auth.clock.now())

        // 2. Its session and its user, alive, and of the epoch in which the token was made.
        let subjects: [(RateLimit.Subject, String?)] = [
            (.address, caller.address), (.account, claims.user.text),
            (.session, claims.session.text),
        ]
        let opening = try auth.open(
            operation, counting: subjects.filter { operation.counted.contains($0.0) },
            reading: SessionState.keys(claims.session, of: claims.user) + keys(claims.user))
        let state = try SessionState(opening.items[...], claims.session, of: claims.user)
        switch state.end(at: auth.clock.now()) {
        case nil: break
        case .accountDisabled: throw .account(.disabled)
        case .deleted, .idle, .tooOld, .signedOutEverywhere, .accountDeleted:
            throw .accessToken(.sessionEnded)
        }
        guard let family = state.family, let user = state.user, claims.epoch == user.epoch else {
            throw .accessToken(.sessionEnded)
        }

        // 3. Within its limits.
        try opening.admit()
        return (Principal(user: user, session: family), Array(opening.items.dropFirst(2)))
    }
}

/// A user who has proved who they are.
package struct Principal: Equatable, Sendable {
    package let user: User
    package let session: SessionFamily
}

extension AuthServices {
    package var authenticate: Authenticate { Authenticate(self) }
}

extension AuthOperation {
    /// Tells a signed-in user about their account.
    package static let me = AuthOperation("me")
}
