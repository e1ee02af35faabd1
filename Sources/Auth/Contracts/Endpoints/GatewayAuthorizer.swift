internal import AuthDomain
package import AuthOperations
internal import Bytes
package import FunctionRuntime
package import JSON
internal import Time

/// A Lambda authorizer in both formats: the simple response of HTTP APIs, and the IAM policy of
/// REST APIs (and of HTTP APIs that request it).
package struct GatewayAuthorizer: Sendable {
    package enum ResponseForm: String, CaseIterable, Sendable { case simple, iam }

    private let auth: AuthServices
    private let mode: Authorize.Mode
    private let form: ResponseForm?
    private let requirement: AuthorizeGrant.Requirement?

    /// - Parameters:
    ///   - form: nil selects by the kind of API.
    ///   - requirement: for an API that is a resource of the provider, whose callers are clients;
    ///     nil for users' own sessions.
    package init(
        _ auth: AuthServices, mode: Authorize.Mode, form: ResponseForm?,
        requirement: AuthorizeGrant.Requirement? = nil
    ) {
        self.auth = auth
        self.mode = mode
        self.form = form
        self.requirement = requirement
    }

    /// - Parameter report: receives the decision, or the error that prevented one.
    package func answer(
        _ event: JSON, report: (Result<Authorize.Decision, AuthError>) -> Void
    ) throws(FunctionError) -> JSON {
        let isHTTPAPI = event["version"]?.stringValue == "2.0"
        let arn = event["routeArn"]?.stringValue ?? event["methodArn"]?.stringValue
        guard isHTTPAPI || arn != nil else {
            throw FunctionError(
                type: "InvalidEvent", message: "The event is not from an API Gateway authorizer.")
        }
        let decision: Authorize.Decision
        do {
            decision = try self.decision(event)
        } catch {
            report(.failure(error))
            // The gateway does not cache errors, but it would cache a refusal.
            throw FunctionError(type: "ServiceUnavailable", message: "Try again in a moment.")
        }
        report(.success(decision))
        let isSimple = (form ?? (isHTTPAPI ? .simple : .iam)) == .simple
        if isSimple { return simple(decision) }
        if !isHTTPAPI, case .refused(let error) = decision,
            error != .accessToken(.administratorsOnly)
        {
            // The only way to make a REST API respond with 401, on which an app refreshes its
            // token.
            throw FunctionError(type: "Unauthorized", message: "Unauthorized")
        }
        guard let arn, let resource = Self.wholeStage(arn) else {
            throw FunctionError(type: "InvalidEvent", message: "The event names no method.")
        }
        return policy(decision, resource)
    }

    private func decision(_ event: JSON) throws(AuthError) -> Authorize.Decision {
        let caller: Caller
        do {
            caller = try self.caller(event)
        } catch {
            // The proof is invalid.
            return .refused(error)
        }
        if let requirement {
            return try auth.authorizeGrant(caller, for: requirement, mode: mode)
        }
        return try auth.authorize(caller, mode: mode)
    }

    private func bearer(_ event: JSON) -> BearerCredential {
        if let token = event["authorizationToken"]?.stringValue {
            return BearerCredential(header: token)
        }
        guard let header = header("authorization", event) else { return .none }
        return header.stringValue.map { BearerCredential(header: $0) } ?? .malformed
    }

    private func header(_ name: String, _ event: JSON) -> JSON? {
        event["headers"]?.objectValue?.members.first {
            $0.name.asciiLowercased.isSame(as: name)
        }?.value
    }

    /// The caller, with the DPoP proof for the request to the API. The proof may be for the host
    /// that the gateway states. For requests that come through a proxy, it may be for the host of
    /// the issuer or of the resource.
    private func caller(_ event: JSON) throws(AuthError) -> Caller {
        let caller = Caller(bearer: bearer(event))
        let context = event["requestContext"]
        guard let proof = header("dpop", event)?.stringValue,
            let method = context?["http"]?["method"]?.stringValue
                ?? event["httpMethod"]?.stringValue,
            let path = event["rawPath"]?.stringValue ?? context?["path"]?.stringValue
        else { return caller }
        let domain = context?["domainName"]?.stringValue.map { "https://\($0)" }
        return try auth.proving(
            caller, proof, method: method,
            urls: [proxyBase, domain].map { base in
                base.flatMap { ProofURL(base: $0, path: path) }
            })
    }

    private var proxyBase: String {
        requirement.map { RedirectURI.target(of: $0.resource) } ?? auth.issuer
    }

    private func simple(_ decision: Authorize.Decision) -> JSON {
        switch decision {
        case .allowed, .allowedClient:
            ["isAuthorized": true, "context": .object(facts(decision))]
        case .refused, .insufficientScope: ["isAuthorized": false]
        }
    }

    private func policy(_ decision: Authorize.Decision, _ resource: String) -> JSON {
        let effect: String
        let principal: String?
        switch decision {
        case .allowed(let user): (effect, principal) = ("Allow", user?.user.id.text)
        case .allowedClient(let access):
            (effect, principal) = ("Allow", access.owner?.user.id.text ?? access.token.client)
        case .refused, .insufficientScope: (effect, principal) = ("Deny", nil)
        }
        return [
            "principalId": .string(principal ?? "anonymous"),
            "policyDocument": [
                "Version": "2012-10-17",
                "Statement": [
                    [
                        "Action": "execute-api:Invoke", "Effect": .string(effect),
                        "Resource": .string(resource),
                    ]
                ],
            ],
            "context": .object(facts(decision)),
        ]
    }

    /// The context for the functions. REST APIs only accept strings, numbers and booleans, so the
    /// context is flat.
    private func facts(_ decision: Authorize.Decision) -> JSONObject {
        switch decision {
        case .allowed(let principal): principal.map(facts) ?? [:]
        case .allowedClient(let access): facts(access)
        case .refused, .insufficientScope: [:]
        }
    }

    /// The context has no `isAdmin`, because a client never acts as an administrator. It has no
    /// `userId` if the client's token belongs to no user.
    private func facts(_ access: GrantAccess) -> JSONObject {
        var facts = JSONObject()
        facts["userId"] = access.owner.map { .string($0.user.id.text) }
        facts["sessionId"] = access.owner.map { .string($0.session.id.text) }
        facts["clientId"] = .string(access.token.client)
        facts["scope"] = .string(access.token.scope.joined(separator: " "))
        if let proof = access.owner?.session.proofs.latest {
            facts["acr"] = .string(proof.strength.name)
            facts["authTime"] = .number(JSONNumber(proof.provenAt.seconds))
        }
        return facts
    }

    private func facts(_ principal: Principal) -> JSONObject {
        let proof = principal.session.proofs.latest
        var facts: JSONObject = [
            "userId": .string(principal.user.id.text),
            "sessionId": .string(principal.session.id.text),
            "isAdmin": .bool(principal.user.isAdmin),
            "acr": .string(proof.strength.name),
            "authTime": .number(JSONNumber(proof.provenAt.seconds)),
        ]
        // The claims are passed as one text. Their size is limited, as in the token
        // (`TokenHookAnswer`).
        if !principal.addedClaims.isEmpty {
            facts["claims"] = .string(
                String(decoding: principal.addedClaims.serialized, as: UTF8.self))
        }
        return facts
    }

    /// The gateway caches a policy per token and applies it to every route: a policy for one method
    /// would deny the next route.
    private static func wholeStage(_ arn: String) -> String? {
        let parts = arn.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("arn:") else { return nil }
        return "\(parts[0])/\(parts[1])/*"
    }
}
