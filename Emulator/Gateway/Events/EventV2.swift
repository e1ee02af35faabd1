internal import Bytes
internal import EmulatorBase
internal import EmulatorTemplate
internal import JSON
internal import Time

/// Payload 2.0 of an HTTP API (API Gateway Developer Guide, "Create AWS Lambda proxy integrations
/// for HTTP APIs").
enum EventV2 {
    static func event(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope,
        grant: AuthorizerContext
    ) -> JSON {
        var event = head(arrival, key: match.route.key, scope)
        if let parameters = parameters(match) { event["pathParameters"] = parameters }
        if !scope.stageVariables.isEmpty { event["stageVariables"] = .object(scope.stageVariables) }
        event["requestContext"] = .object(
            context(arrival, key: match.route.key, scope, grant: grant))
        addBody(arrival, to: &event)
        return .object(event)
    }

    /// The members that the function's and the authorizer's event share: from `version` to the
    /// query.
    private static func head(_ arrival: IncomingRequest, key: String, _ scope: EventScope)
        -> JSONObject
    {
        var event: JSONObject = [
            "version": "2.0", "routeKey": .string(key),
            "rawPath": .string(scope.staged(PercentText.httpPath(arrival.path))),
            "rawQueryString": .string(arrival.query),
        ]
        addFields(arrival, scope.options, keepsCookie: false, to: &event)
        return event
    }

    /// Cookies, headers and query are omitted if there are none.
    static func addFields(
        _ arrival: IncomingRequest, _ options: GatewayOptions, keepsCookie: Bool,
        to event: inout JSONObject
    ) {
        let cookies = ForwardedHeaders.cookies(arrival.request)
        if !cookies.isEmpty { event["cookies"] = .array(cookies.map { .string($0) }) }
        event["headers"] = .object(
            JSONObject(
                ForwardedHeaders.joined(arrival, options, keepsCookie: keepsCookie)
                    .map { ($0.name, .string($0.value)) }))
        let query = QueryParameters(parsing: arrival.query).grouped
        guard !query.isEmpty else { return }
        event["queryStringParameters"] = .object(
            JSONObject(query.map { ($0.name, .string($0.values.joined(separator: ","))) }))
    }

    static func addBody(_ arrival: IncomingRequest, to event: inout JSONObject) {
        let body = BodyText(v2: arrival.request.body, contentType: arrival.contentType)
        if let text = body.text { event["body"] = .string(text) }
        event["isBase64Encoded"] = .bool(body.isBase64)
    }

    static func parameters(_ match: Router.Match) -> JSON? {
        guard !match.parameters.isEmpty else { return nil }
        return .object(
            JSONObject(
                match.parameters.map { ($0.name, .string(PercentText.httpPath($0.value))) }))
    }

    private static func context(
        _ arrival: IncomingRequest, key: String, _ scope: EventScope, grant: AuthorizerContext
    ) -> JSONObject {
        let domain = scope.domainName(arrival.request)
        var context: JSONObject = ["accountId": .string(scope.accountID)]
        context["apiId"] = .string(scope.apiID)
        if let authorizer = grant.v2 { context["authorizer"] = authorizer }
        context["domainName"] = .string(domain)
        context["domainPrefix"] = .string(domain.halves(at: ".").first)
        context["http"] = http(
            arrival, path: scope.staged(PercentText.httpPath(arrival.path)))
        context["requestId"] = .string(arrival.requestID)
        context["routeKey"] = .string(key)
        context["stage"] = .string(scope.stage)
        context["time"] = .string(arrival.commonLogTime)
        context["timeEpoch"] = .number(arrival.now.milliseconds)
        return context
    }

    static func http(_ arrival: IncomingRequest, path: String) -> JSON {
        [
            "method": .string(arrival.request.method), "path": .string(path),
            "protocol": .string(arrival.request.protocolVersion),
            "sourceIp": .string(arrival.request.peer.hostText),
            "userAgent": .string(arrival.request.header("user-agent") ?? ""),
        ]
    }

    /// The authorizer event of payload 2.0 (API Gateway Developer Guide, "Control access to HTTP
    /// APIs with AWS Lambda authorizers").
    static func authorizerEvent(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope, identity: [String]
    ) -> JSON {
        let key = match.route.key
        var event: JSONObject = ["version": "2.0", "type": "REQUEST"]
        event["routeArn"] = .string(
            scope.routeARN(
                method: arrival.request.method, path: PercentText.httpPath(arrival.path)))
        event["identitySource"] =
            identity.isEmpty ? .null : .array(identity.map { .string($0) })
        for (name, value) in head(arrival, key: key, scope).members where name != "version" {
            event[name] = value
        }
        if event["queryStringParameters"] == nil { event["queryStringParameters"] = [:] }
        event["requestContext"] = .object(context(arrival, key: key, scope, grant: .none))
        event["pathParameters"] = parameters(match) ?? [:]
        event["stageVariables"] = .object(scope.stageVariables)
        return .object(event)
    }
}
