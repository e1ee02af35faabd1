internal import Bytes
package import Cryptography
package import EmulatorBase
package import JSON
package import Time

/// The event with which a function of a template would be invoked, computed without running a
/// gateway.
package struct EventSample {
    /// The source of an event.
    package enum Source: Sendable, Equatable {
        /// `POST /auth/signin`: the event of the route, or the event of the route's authorizer.
        case route(String), guardOf(String)
        case functionURL
        case schedule(String)
    }

    package enum Failure: Error, Sendable, Equatable {
        /// The request is routed to another function or to none; `leading` are the routes to the
        /// requested one.
        case noRoute(leading: [String])
    }

    private let template: Template
    private let settings: TemplateSettings
    private let clock: WallClock
    private let random: RandomSource

    package init(
        _ template: Template, settings: TemplateSettings, clock: WallClock, random: RandomSource
    ) {
        self.template = template
        self.settings = settings
        self.clock = clock
        self.random = random
    }

    /// A function by its name, its logical ID or the directory of its code.
    package func function(_ name: String) -> FunctionResource? {
        template.function(called: name)
            ?? template.functions.first { function in
                function.codePath.pieces(at: "/").last { !$0.isEmpty }?.isSame(as: name) ?? false
            }
    }

    /// The event of a request to the function. If `method` or `path` is nil, the first route to it
    /// is used; nil if it has no route and is only invoked directly.
    package func event(
        of function: FunctionResource, method: String?, path: String?, _ request: ServerRequest
    ) throws(Failure) -> (event: JSON, source: Source)? {
        let apis = template.apis.enumerated().map {
            APIEndpoint($0.element, index: $0.offset, settings: settings, options: .standard)
        }
        var leading: [String] = []
        for api in apis {
            for route in api.api.routes where reach(route, api.api, function.name) != nil {
                leading.append(route.key)
                var asked = request
                asked.method = method ?? route.method ?? "GET"
                asked.target = path ?? Self.path(of: route)
                if let found = event(asked, api, function.name) { return found }
            }
        }
        if let url = function.url {
            let served = FunctionURLEndpoint(function, url, settings: settings, options: .standard)
            var asked = request
            asked.method = method ?? "GET"
            asked.target = path ?? "/"
            let incoming = incoming(asked, .functionURL)
            let caller = url.authorization == .iam ? caller : nil
            return (
                FunctionURLEvent.event(incoming, served.scope, caller: caller), .functionURL
            )
        }
        guard leading.isEmpty else { throw .noRoute(leading: leading) }
        guard method == nil, path == nil else { throw .noRoute(leading: []) }
        guard let schedule = template.schedules.first(where: { $0.function == function.name })
        else { return nil }
        let event = schedule.event(
            at: clock.now(), account: settings.accountID, region: settings.region, random: random)
        return (event, .schedule(schedule.name))
    }

    /// The key of the HTTP API's route that leads a request to the function; `$default` is also the
    /// key of a Function URL.
    package func httpRoute(
        to function: FunctionResource, _ method: String, _ target: String
    ) throws(Failure) -> String {
        let path = RequestTarget(parsing: target).path
        var found: [Router.Match] = []
        var leading: [String] = []
        for api in template.apis where api.kind == .http {
            leading += api.routes.filter { $0.function == function.name }.map(\.key)
            guard case .route(let match) = Router(api).match(method: method, path: path),
                match.route.function == function.name
            else { continue }
            found.append(match)
        }
        if let best = found.min(by: { $0.specificity < $1.specificity }) { return best.route.key }
        guard function.url == nil else { return API.defaultStage }
        throw .noRoute(leading: leading)
    }

    /// The function to which the gateway routes a request, by its most specific route.
    package func function(answering method: String, _ target: String) -> FunctionResource? {
        let path = RequestTarget(parsing: target).path
        let found = template.apis.compactMap { api -> Router.Match? in
            guard case .route(let match) = Router(api).match(method: method, path: path) else {
                return nil
            }
            return match
        }
        let best = found.min { $0.specificity < $1.specificity }
        return template.functions.first { $0.name == best?.route.function }
    }

    /// How the function relates to the route: as its integration or as its authorizer.
    private func reach(_ route: APIRoute, _ api: API, _ name: FunctionName) -> Reach? {
        if route.function == name { return .target }
        guard case .authorizer(let guardName, _) = route.authorization,
            let authorizer = api.authorizers.first(where: { $0.name.isSame(as: guardName) }),
            case .lambda(let lambda) = authorizer.kind, lambda.function == name
        else { return nil }
        return .authorizer(lambda)
    }

    private enum Reach {
        case target
        case authorizer(LambdaAuthorizer)
    }

    /// The route's path, with each parameter replaced by its name.
    private static func path(of route: APIRoute) -> String {
        guard let pattern = route.pattern else { return "/" }
        let segments = pattern.segments.map { segment in
            switch segment {
            case .literal(let text), .parameter(let text), .greedy(let text): text
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}

// Builds an event.
extension EventSample {
    private func event(
        _ request: ServerRequest, _ served: APIEndpoint, _ name: FunctionName
    ) -> (event: JSON, source: Source)? {
        let incoming = incoming(request, served.api.kind == .http ? .http : .rest)
        guard
            case .route(let match) = served.router.match(
                method: request.method, path: incoming.path),
            let reach = reach(match.route, served.api, name)
        else { return nil }
        let kind = served.api.kind
        let scope = served.scope
        switch reach {
        case .authorizer(let lambda):
            let identity =
                IdentityValues.read(lambda.identitySources, incoming, match, scope) ?? []
            let event =
                switch lambda.form {
                case .token: EventV1.tokenEvent(incoming, scope, token: identity.first ?? "")
                case .request1:
                    EventV1.authorizerEvent(
                        incoming, match, scope, kind: kind, identity: identity)
                case .request2:
                    EventV2.authorizerEvent(incoming, match, scope, identity: identity)
                }
            return (event, .guardOf(match.route.key))
        case .target:
            let grant = grant(match.route, served.api)
            let event =
                switch match.route.payload {
                case .v2: EventV2.event(incoming, match, scope, grant: grant)
                case .v1:
                    EventV1.event(
                        incoming, match, scope, kind: kind,
                        binaryTypes: served.api.binaryMediaTypes, grant: grant)
                }
            return (event, .route(match.route.key))
        }
    }

    private func incoming(_ request: ServerRequest, _ form: IncomingRequest.Form) -> IncomingRequest
    {
        IncomingRequest(
            request, target: RequestTarget(parsing: request.target), form: form,
            ports: GatewayPorts(
                invoke: { _, _, _, _ in }, clock: clock, random: random, after: { _, _ in },
                fetch: { _, _ in }, identify: { _, _, _ in nil }))
    }

    /// The result of the route's authorizer for an authorised caller.
    private func grant(_ route: APIRoute, _ api: API) -> AuthorizerContext {
        switch route.authorization {
        case .none: return .none
        case .iam: return .iam(caller)
        case .authorizer(let name, let scopes):
            guard let authorizer = api.authorizers.first(where: { $0.name.isSame(as: name) })
            else { return .none }
            switch authorizer.kind {
            case .lambda:
                return .lambda(principal: "user", context: ["userId": "user"], milliseconds: 1)
            case .jwt(let jwt):
                return .jwt(
                    claims: [
                        "iss": .string(jwt.issuer), "aud": .string(jwt.audiences.first ?? ""),
                        "sub": "user", "iat": "1700000000", "exp": "4102444800",
                    ], scopes: scopes.isEmpty ? nil : scopes)
            }
        }
    }

    private var caller: IAMCaller {
        IAMCaller(
            accessKey: "AKIAIOSFODNN7EXAMPLE", accountID: settings.accountID,
            callerID: "AIDACKCEVSQ6C2EXAMPLE",
            userARN: "arn:aws:iam::\(settings.accountID):user/developer",
            userID: "AIDACKCEVSQ6C2EXAMPLE")
    }
}
