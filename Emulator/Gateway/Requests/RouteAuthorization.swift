internal import Bytes
internal import EmulatorBase
internal import JOSE
internal import JSON
internal import Time

/// Authorises a request to a route: IAM, Lambda and JWT authorizers.
struct RouteAuthorization: Sendable {
    typealias Completion = @Sendable (AuthorizerDecision) -> Void

    let exchange: APIRequestHandler
    let match: Router.Match

    private var gateway: Gateway { exchange.gateway }
    private var incoming: IncomingRequest { exchange.incoming }
    private var scope: EventScope { exchange.served.scope }
    private var api: API { exchange.api }
    private var routeARN: String {
        let path =
            api.kind == .http ? PercentText.httpPath(incoming.path) : incoming.path
        return scope.routeARN(method: incoming.request.method, path: path)
    }

    func decide(_ completion: @escaping Completion) {
        switch match.route.authorization {
        case .none: completion(.allow(.none))
        case .iam:
            let caller = gateway.ports.identify(
                incoming.request, "execute-api:Invoke", routeARN)
            completion(caller.map { .allow(.iam($0)) } ?? .refuse(.notSigned))
        case .authorizer(let name, let scopes):
            // If the authorizer does not exist, the request is refused.
            guard let authorizer = api.authorizers.first(where: { $0.name.isSame(as: name) })
            else { return completion(.refuse(.authorizerFailed)) }
            switch authorizer.kind {
            case .lambda(let lambda): ask(lambda, named: name, completion)
            case .jwt(let jwt): check(jwt, scopes: scopes, completion)
            }
        }
    }
}

// Lambda authorizers.
extension RouteAuthorization {
    private func ask(
        _ authorizer: LambdaAuthorizer, named name: String, _ completion: @escaping Completion
    ) {
        let read = IdentityValues.read(authorizer.identitySources, incoming, match, scope)
        // A REST authorizer without a cache may be called without its identity sources.
        let isOptional =
            api.kind == .rest && authorizer.form == .request1 && authorizer.cacheSeconds == 0
        guard let identity = read ?? (isOptional ? [] : nil),
            isWellFormed(identity, authorizer)
        else { return completion(.refuse(.unauthorized(challenge: nil))) }
        let isCached = authorizer.cacheSeconds > 0 && !identity.isEmpty
        let key = DecisionCache.Key(apiID: api.id, authorizer: name, identity: identity)
        if isCached, let verdict = gateway.decisions.verdict(key, now: incoming.now) {
            return completion(verdict.decision(on: routeARN, milliseconds: 0))
        }
        let options = exchange.options
        gateway.invoke(
            authorizer.function, event(authorizer, identity).serialized, trace: incoming.trace,
            limit: options.authorizerLimit
        ) { outcome in
            let verdict =
                outcome.map { LambdaAuthorizerResponse($0, form: authorizer.form, kind: api.kind) }
                ?? .broken
            let now = gateway.ports.clock.now()
            if isCached, verdict.isKept {
                gateway.decisions.keep(
                    verdict, for: key, until: now + .seconds(Int64(authorizer.cacheSeconds)),
                    now: now)
            }
            completion(
                verdict.decision(
                    on: routeARN, milliseconds: max(0, (now - incoming.now).milliseconds)))
        }
    }

    private func isWellFormed(_ identity: [String], _ authorizer: LambdaAuthorizer) -> Bool {
        guard let pattern = authorizer.tokenPattern, let token = identity.first else { return true }
        guard let regex = try? Regex(pattern), let match = try? regex.wholeMatch(in: token) else {
            return false
        }
        return !match.range.isEmpty || token.isEmpty
    }

    private func event(_ authorizer: LambdaAuthorizer, _ identity: [String]) -> JSON {
        switch authorizer.form {
        case .token: EventV1.tokenEvent(incoming, scope, token: identity.first ?? "")
        case .request1:
            EventV1.authorizerEvent(incoming, match, scope, kind: api.kind, identity: identity)
        case .request2: EventV2.authorizerEvent(incoming, match, scope, identity: identity)
        }
    }
}

// JWT authorizers.
extension RouteAuthorization {
    private func check(
        _ authorizer: JWTAuthorizer, scopes: [String], _ completion: @escaping Completion
    ) {
        let value = IdentityValues.value(of: authorizer.identitySource, incoming, match, scope)
        guard let token = value.flatMap(JWTCheck.token) else {
            return refuse(.noToken, completion)
        }
        do throws(JWTCheck.Failure) {
            try JWTCheck.checkForm(token)
        } catch {
            return refuse(error, completion)
        }
        check(token, authorizer, scopes, isMissingKey: false, completion)
    }

    private func check(
        _ token: String, _ authorizer: JWTAuthorizer, _ scopes: [String], isMissingKey: Bool,
        _ completion: @escaping Completion
    ) {
        gateway.keySets.keys(
            of: authorizer.issuer, isMissingKey: isMissingKey, now: incoming.now
        ) { keys in
            guard let keys else {
                return refuse(
                    .invalid("OIDC discovery endpoint communication error"), completion)
            }
            do throws(JWTCheck.Failure) {
                let claims = try JWTCheck.claims(
                    token, keys: keys, authorizer: authorizer, now: incoming.now)
                let granted = try JWTCheck.scopes(claims, required: scopes)
                completion(
                    .allow(.jwt(claims: JWTCheck.stringified(claims), scopes: granted)))
            } catch {
                guard error == .unknownKey, !isMissingKey else {
                    return refuse(error, completion)
                }
                // The issuer may have published new keys.
                check(token, authorizer, scopes, isMissingKey: true, completion)
            }
        }
    }

    private func refuse(_ failure: JWTCheck.Failure, _ completion: Completion) {
        completion(.refuse(JWTCheck.refusal(failure)))
    }
}
