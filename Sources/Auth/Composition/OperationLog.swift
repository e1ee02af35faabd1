internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime

extension LogEvent {
    static let answered = LogEvent("answered")
    static let refused = LogEvent("refused")
    static let failed = LogEvent("failed")
    static let noProviderConfigured = LogEvent("no_identity_provider_configured")
    static let rateLimitsOff = LogEvent("rate_limits_off")
}

// What is logged of an operation: names of cases, ids of users and sessions. An error's texts (a
// field's name) come from our own source; nothing here comes from a client.
extension Log {
    func report(_ outcome: Router.Outcome) {
        let operation = LogValue.identifier(outcome.operation.name)
        let status = LogValue.count(outcome.answer.status)
        guard let (error, code) = outcome.failure else {
            info(.answered, ["operation": operation, "status": status])
            return
        }
        let values: KeyValuePairs<StaticString, LogValue> = [
            "operation": operation, "status": status, "code": .identifier(code.text),
            "reason": .identifier(error.reason),
        ]
        if outcome.answer.status >= 500 {
            self.error(.failed, values)
        } else {
            info(.refused, values)
        }
    }

    func report(_ verdict: Result<Authorize.Verdict, AuthError>) {
        switch verdict {
        case .success(.allowed(let principal)):
            info(.answered, ["user": .identifier(principal?.user.id.text ?? "anonymous")])
        case .success(.refused(let error)):
            info(.refused, ["reason": .identifier(error.reason)])
        case .failure(let error):
            self.error(.failed, ["reason": .identifier(error.reason)])
        }
    }
}

extension APIError {
    /// The case and what it holds, as words with dots between them.
    var reason: String {
        switch self {
        case .request(let error): error.reason
        case .auth(let error): error.reason
        }
    }
}

extension RequestError {
    fileprivate var reason: String {
        switch self {
        case .missingField(let field): "missingField.\(field)"
        case .invalidField(let field, _): "invalidField.\(field)"
        case .methodNotAllowed: "methodNotAllowed"
        case .bodyTooLarge: "bodyTooLarge"
        case .insecureScheme, .undecodablePath, .tooManyFields, .notFound, .unsupportedMediaType,
            .foreignForm, .bodyNotJSON, .bodyNotAnObject, .bodyNotAForm:
            words(self)
        }
    }
}

extension AuthError {
    fileprivate var reason: String {
        switch self {
        case .rateLimited: "rateLimited"
        case .signIn(let error): "signIn.\(words(error))"
        case .accessToken(let error): "accessToken.\(error.rawValue)"
        case .refreshToken(let error): "refreshToken.\(error.rawValue)"
        case .account(let error): "account.\(error.rawValue)"
        case .session(let error): "session.\(error.rawValue)"
        case .storage(let error): "storage.\(error.rawValue)"
        case .unavailable(let dependency): "unavailable.\(dependency.rawValue)"
        case .fault(let fault): "fault.\(fault.rawValue)"
        }
    }
}

/// `identityRejected(AuthX.IdentityFailure.keysUnavailable(status(500)))` as
/// `identityRejected.keysUnavailable.status.500`: none of these cases holds a text.
private func words(_ value: some Any) -> String {
    "\(value)".split { "(): ".contains($0) }
        .map { part in part.split(separator: ".").last.map(String.init) ?? "" }
        .joined(separator: ".")
}
