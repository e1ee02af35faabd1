internal import AuthDomain

/// Decides for an API gateway whether a request may pass.
package struct Authorize: Sendable {
    package enum Mode: String, Sendable {
        /// Only the signed-in.
        case required
        /// Everybody; who is signed in is known by name. A bad token is refused all the same.
        case optional
        /// Only the signed-in who are administrators.
        case admin
    }

    package enum Verdict: Equatable, Sendable {
        case allowed(Principal?)
        case refused(Problem)
    }

    private let authenticate: Authenticate
    private let mode: Mode

    package init(authenticate: Authenticate, mode: Mode) {
        self.authenticate = authenticate
        self.mode = mode
    }

    /// Throws only what is no answer about the caller: a gateway must not take an outage for a
    /// refusal and remember it.
    package func callAsFunction(bearer: String?) throws(Problem) -> Verdict {
        guard bearer != nil || mode != .optional else { return .allowed(nil) }
        let principal: Principal
        do {
            principal = try authenticate(bearer)
        } catch {
            switch error {
            case .accessTokenMissing, .accessTokenRejected, .accountDisabled:
                return .refused(error)
            default: throw error
            }
        }
        guard mode != .admin || principal.user.isAdmin else { return .refused(.notPermitted) }
        return .allowed(principal)
    }
}
