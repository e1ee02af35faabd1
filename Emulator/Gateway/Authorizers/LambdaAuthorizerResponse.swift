internal import Bytes
internal import JSON

/// A Lambda authorizer's result. It can be cached and evaluated for other routes.
enum LambdaAuthorizerResponse: Sendable {
    case simple(isAuthorized: Bool, context: JSONObject)
    case policy(InvokePolicy, principal: String?, context: JSONObject)
    /// The authorizer failed with `Unauthorized`: a REST API responds with 401.
    case unauthorized
    case broken

    /// Whether the result may be cached. Failures may not.
    var isKept: Bool {
        switch self {
        case .simple, .policy: true
        case .unauthorized, .broken: false
        }
    }

    init(_ outcome: InvocationOutcome, form: LambdaAuthorizer.Form, kind: API.Kind) {
        switch outcome {
        case .returned(let payload):
            guard let reply = try? IntegrationResponseReader.json(payload) else {
                self = .broken
                return
            }
            self.init(reply, form: form, kind: kind)
        case .failed(let error):
            let message = (try? IntegrationResponseReader.json(error))?["errorMessage"]?.stringValue
            let isRefusal = kind == .rest && message?.isSame(as: "Unauthorized") ?? false
            self = isRefusal ? .unauthorized : .broken
        case .timedOut, .throttled, .payloadTooLarge: self = .broken
        }
    }

    private init(_ reply: JSON, form: LambdaAuthorizer.Form, kind: API.Kind) {
        let value = reply["context"].flatMap { $0.isNull ? nil : $0 } ?? [:]
        guard let context = value.objectValue else {
            self = .broken
            return
        }
        if form == .request2(isSimple: true) {
            // Only a JSON boolean is accepted: the string "true" is a mistake and does not
            // authorise.
            guard let isAuthorized = reply["isAuthorized"]?.boolValue else {
                self = .broken
                return
            }
            self = .simple(isAuthorized: isAuthorized, context: context)
            return
        }
        let principal = reply["principalId"]?.scalarText
        let areScalars = context.members.allSatisfy {
            $0.value.arrayValue == nil && $0.value.objectValue == nil
        }
        guard let policy = reply["policyDocument"].flatMap(InvokePolicy.init),
            kind == .http || (principal != nil && areScalars)
        else {
            self = .broken
            return
        }
        self = .policy(policy, principal: principal, context: context)
    }

    /// The decision for one route.
    func decision(on routeARN: String, milliseconds: Int64) -> AuthorizerDecision {
        switch self {
        case .simple(true, let context):
            .allow(.lambda(principal: nil, context: context, milliseconds: milliseconds))
        case .simple(false, _): .refuse(.denied(isExplicit: false))
        case .policy(let policy, let principal, let context):
            switch policy.decision(on: routeARN) {
            case .allowed:
                .allow(
                    .lambda(principal: principal, context: context, milliseconds: milliseconds))
            case .denied: .refuse(.denied(isExplicit: false))
            case .explicitlyDenied: .refuse(.denied(isExplicit: true))
            }
        case .unauthorized: .refuse(.unauthorized(challenge: nil))
        case .broken: .refuse(.authorizerFailed)
        }
    }
}

enum AuthorizerDecision: Sendable {
    case allow(AuthorizerContext)
    case refuse(GatewayError)
}
