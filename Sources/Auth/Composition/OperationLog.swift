internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime

extension LogEvent {
    static let answered = LogEvent("answered")
    static let refused = LogEvent("refused")
    static let failed = LogEvent("failed")
    static let noProviderConfigured = LogEvent("no_identity_provider_configured")
}

// What is logged of an operation: names of cases, ids of users and sessions. A problem's texts
// (a field's name) came from our own source; nothing here came from a caller.
extension Log {
    func report(_ outcome: Dispatcher.Outcome) {
        let operation = LogValue.code(outcome.operation)
        let status = LogValue.count(outcome.answer.status)
        guard let problem = outcome.problem else {
            info(.answered, ["operation": operation, "status": status])
            return
        }
        let code = LogValue.identifier(outcome.code?.text ?? "")
        let reason = LogValue.identifier(problem.reason)
        if outcome.answer.status >= 500 {
            error(
                .failed,
                ["operation": operation, "status": status, "code": code, "reason": reason])
        } else {
            info(
                .refused,
                ["operation": operation, "status": status, "code": code, "reason": reason])
        }
    }

    func report(_ problem: Problem) {
        error(.failed, ["reason": .identifier(problem.reason)])
    }

    func report(_ verdict: Authorize.Verdict) {
        switch verdict {
        case .allowed(let principal):
            info(
                .answered,
                ["user": .identifier(principal?.user.id.text ?? "anonymous")])
        case .refused(let problem):
            info(.refused, ["reason": .identifier(problem.reason)])
        }
    }
}

extension Problem {
    /// The case and what it holds, in one word.
    var reason: String {
        switch self {
        case .malformed(let defect): "malformed.\(defect.rawValue)"
        case .missing(let field): "missing.\(field)"
        case .invalid(let field): "invalid.\(field)"
        case .unknownProvider: "unknownProvider"
        case .noSuchRoute: "noSuchRoute"
        case .methodNotAllowed: "methodNotAllowed"
        case .identityRejected(let failure): "identityRejected.\(Self.word(failure))"
        case .identityTokenSpent: "identityTokenSpent"
        case .challengeUnknown: "challengeUnknown"
        case .accountDisabled: "accountDisabled"
        case .accessTokenMissing: "accessTokenMissing"
        case .accessTokenRejected(let defect): "accessTokenRejected.\(defect.rawValue)"
        case .notPermitted: "notPermitted"
        case .refreshTokenRejected(let defect): "refreshTokenRejected.\(defect.rawValue)"
        case .sessionNotFound: "sessionNotFound"
        case .prefixRefused: "prefixRefused"
        case .durationRefused: "durationRefused"
        case .policyTooLarge: "policyTooLarge"
        case .storageRefused: "storageRefused"
        case .rateLimited: "rateLimited"
        case .unavailable(let dependency): "unavailable.\(dependency.rawValue)"
        case .fault(let fault): "fault.\(fault.rawValue)"
        }
    }

    /// `keysUnavailable(status(500))` → `keysUnavailable.status.500`: the cases hold no text.
    private static func word(_ failure: some Error) -> String {
        "\(failure)".split { $0 == "(" || $0 == ")" || $0 == ":" || $0 == " " }
            .joined(separator: ".")
    }
}
