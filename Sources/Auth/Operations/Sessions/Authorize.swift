package import AuthDomain

/// Authorises a request for an API gateway.
package struct Authorize: Sendable {
    package enum Mode: String, CaseIterable, Sendable {
        /// Only signed-in users are admitted.
        case required
        /// All callers are admitted, and a signed-in user is identified. An invalid token is still
        /// refused.
        case optional
        /// Only signed-in administrators are admitted.
        case admin
    }

    package enum Decision: Equatable, Sendable {
        case allowed(Principal?)
        /// A third-party client that acts for a user (`AuthorizeGrant`).
        case allowedClient(GrantAccess)
        /// A client's token lacks a scope that the operator requires.
        case insufficientScope
        case refused(AuthError)
    }

    let auth: AuthServices

    /// Throws for errors that say nothing about the caller: a gateway must not mistake an outage
    /// for a refusal and cache it.
    package func callAsFunction(_ caller: Caller, mode: Mode) throws(AuthError) -> Decision {
        if caller.bearer == .none, mode == .optional { return .allowed(nil) }
        let principal: Principal
        do {
            principal = try auth.authenticate(caller, for: .authorize)
        } catch {
            switch error {
            case .accessToken, .account: return .refused(error)
            case .signIn, .refreshToken, .proof, .password, .emailLink, .method, .secondFactor,
                .passkey, .hook, .device, .session, .storage, .notificationRejected,
                .administration, .oauth, .rateLimited, .unavailable, .notConfigured, .fault:
                throw error
            }
        }
        guard mode != .admin || principal.user.isAdmin else {
            return .refused(.accessToken(.administratorsOnly))
        }
        return .allowed(principal)
    }
}

extension AuthServices {
    package var authorize: Authorize { Authorize(auth: self) }
}

extension AuthOperation {
    /// Nothing is counted: an authorizer can only allow or deny, and cannot make the gateway
    /// respond with 429. Use the gateway's own throttling.
    package static let authorize = AuthOperation(
        "authorize", servedBy: "authorizer", counting: [])
}
