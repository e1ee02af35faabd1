internal import AuthDomain
internal import AuthOperations
internal import Contracts
internal import FunctionRuntime
internal import JSON

/// The two dialects of API Gateway: the simple response of HTTP APIs, and the IAM policy of REST
/// APIs (and of HTTP APIs that ask for it).
struct GatewayAuthorizer: Sendable {
    fileprivate enum Dialect: String { case simple, iam }

    private let authorize: Authorize
    private let dialect: Dialect?
    private let log: Log

    /// `AUTHORIZER_*`.
    struct Settings: Sendable {
        let mode: Authorize.Mode
        fileprivate let dialect: Dialect?
        let problems: [String]

        init(_ environment: Environment) {
            var problems: [String] = []
            let mode = environment["AUTHORIZER_MODE"].map(Authorize.Mode.init(rawValue:))
            if mode == .some(.none) {
                problems.append("AUTHORIZER_MODE must be required, optional or admin")
            }
            let dialect = environment["AUTHORIZER_RESPONSE"].map(Dialect.init(rawValue:))
            if dialect == .some(.none) {
                problems.append("AUTHORIZER_RESPONSE must be simple or iam")
            }
            self.mode = (mode ?? nil) ?? .required
            self.dialect = dialect ?? nil
            self.problems = problems
        }
    }

    init(_ settings: Settings, authenticate: Authenticate, log: Log) {
        authorize = Authorize(authenticate: authenticate, mode: settings.mode)
        dialect = settings.dialect
        self.log = log
    }

    func answer(
        _ event: JSON, _ context: InvocationContext
    ) throws(FunctionError) -> JSON {
        let log = log.with(requestID: context.requestID)
        let isHTTPAPI = event["version"]?.stringValue == "2.0"
        let arn = event["routeArn"]?.stringValue ?? event["methodArn"]?.stringValue
        guard isHTTPAPI || arn != nil else {
            throw FunctionError(
                type: "InvalidEvent", message: "The event is not one of an API Gateway authorizer.")
        }
        let verdict: Authorize.Verdict
        do {
            verdict = try authorize(bearer: bearer(event))
        } catch {
            log.report(error)
            // A failure is not remembered by the gateway; a refusal would be.
            throw FunctionError(type: "ServiceUnavailable", message: "Try again in a moment.")
        }
        log.report(verdict)
        let isSimple = (dialect ?? (isHTTPAPI ? .simple : .iam)) == .simple
        if isSimple { return simple(verdict) }
        if !isHTTPAPI, case .refused(let problem) = verdict, problem != .notPermitted {
            // The one way to have a REST API answer 401, which tells an app to refresh.
            throw FunctionError(type: "Unauthorized", message: "Unauthorized")
        }
        guard let arn, let resource = Self.wholeStage(arn) else {
            throw FunctionError(type: "InvalidEvent", message: "The event names no method.")
        }
        return policy(verdict, resource)
    }

    private func bearer(_ event: JSON) -> String? {
        if let token = event["authorizationToken"]?.stringValue { return Bearer.token(token) }
        let header = event["headers"]?.objectValue?.members.first { name, _ in
            name.lowercased().utf8.elementsEqual("authorization".utf8)
        }
        return header?.value.stringValue.flatMap(Bearer.token)
    }

    private func simple(_ verdict: Authorize.Verdict) -> JSON {
        switch verdict {
        case .allowed(let principal):
            ["isAuthorized": true, "context": .object(facts(principal))]
        case .refused: ["isAuthorized": false]
        }
    }

    private func policy(_ verdict: Authorize.Verdict, _ resource: String) -> JSON {
        let effect: String
        var principal: Principal?
        switch verdict {
        case .allowed(let allowed):
            effect = "Allow"
            principal = allowed
        case .refused: effect = "Deny"
        }
        return [
            "principalId": .string(principal?.user.id.text ?? "anonymous"),
            "policyDocument": [
                "Version": "2012-10-17",
                "Statement": [
                    [
                        "Action": "execute-api:Invoke", "Effect": .string(effect),
                        "Resource": .string(resource),
                    ]
                ],
            ],
            "context": .object(facts(principal)),
        ]
    }

    /// What the functions behind the gateway learn. REST APIs take texts, numbers and booleans
    /// only, so there is nothing nested.
    private func facts(_ principal: Principal?) -> JSONObject {
        guard let principal else { return [:] }
        return [
            "userId": .string(principal.user.id.text),
            "sessionId": .string(principal.session.id.text),
            "isAdmin": .bool(principal.user.isAdmin),
        ]
    }

    /// The gateway remembers a policy for the token and applies it to every route: one that named
    /// a single method would refuse the next one.
    static func wholeStage(_ arn: String) -> String? {
        let parts = arn.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("arn:") else { return nil }
        return "\(parts[0])/\(parts[1])/*"
    }
}
