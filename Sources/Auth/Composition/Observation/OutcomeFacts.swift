internal import AuthDomain
internal import AuthOperations
internal import Contracts

// The facts about an outcome that metrics use.
extension Router.Outcome {
    /// `answered`, `refused` or `failed`, as in the log.
    var kind: String {
        guard failure != nil else { return "answered" }
        return answer.status >= 500 ? "failed" : "refused"
    }

    /// Whether the outcome is among the refusals that administrators see. A request for an unknown
    /// path is not.
    var isRefusal: Bool {
        failure != nil && routedOperation != nil && (400..<500).contains(answer.status)
    }

    /// The reason in the log.
    var reason: String? { failure?.error.reason }

    /// `unrouted` for a request without an operation.
    var loggedOperation: String { routedOperation ?? "unrouted" }

    /// The operation; nil for a request that was refused before its operation was known.
    var routedOperation: String? { isRouted ? operation.name : nil }

    /// The provider or other sign-in method; nil unless a sign-in succeeded.
    var signInMethod: String? {
        guard failure == nil else { return nil }
        return switch operation.name {
        case AuthOperation.signIn.name, AuthOperation.linkByTokens.name:
            facts.provider ?? "unknown"
        case AuthOperation.login.name: "password"
        case AuthOperation.redeemMagicLink.name: "magicLink"
        case AuthOperation.secondFactor.name: "secondFactor"
        default: nil
        }
    }

    var isRateLimited: Bool {
        if case .auth(.rateLimited)? = failure?.error { true } else { false }
    }

    /// The kind of replaced refresh token that was presented.
    var reusedToken: String? {
        guard case .auth(.refreshToken(let error))? = failure?.error else { return nil }
        return switch error {
        case .reusedPrevious: "previous"
        case .reusedOlder: "older"
        default: nil
        }
    }
}
