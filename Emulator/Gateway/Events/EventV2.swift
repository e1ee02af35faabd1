internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// Payload 2.0 of an HTTP API (API Gateway Developer Guide, "Create AWS Lambda proxy integrations
/// for HTTP APIs").
enum EventV2 {
    static func event(
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope,
        grant: AuthorizerContext
    ) -> JSON {
        var event = head(incoming, key: match.route.key, scope)
        if let parameters = parameters(match) { event["pathParameters"] = parameters }
        if !scope.stageVariables.isEmpty { event["stageVariables"] = .object(scope.stageVariables) }
        event["requestContext"] = .object(
            context(incoming, key: match.route.key, scope, grant: grant))
        addBody(incoming, to: &event)
        return .object(event)
    }

    /// The members that the function's and the authorizer's event share: from `version` to the
    /// query.
    private static func head(_ incoming: IncomingRequest, key: String, _ scope: EventScope)
        -> JSONObject
    {
        var event: JSONObject = [
            "version": "2.0", "routeKey": .string(key),
            "rawPath": .string(scope.staged(PercentText.httpPath(incoming.path))),
            "rawQueryString": .string(incoming.query),
        ]
        addFields(incoming, scope.options, keepsCookie: false, to: &event)
        return event
    }

    /// Cookies, headers and query are omitted if there are none.
    static func addFields(
        _ incoming: IncomingRequest, _ options: GatewayOptions, keepsCookie: Bool,
        to event: inout JSONObject
    ) {
        let cookies = ForwardedHeaders.cookies(incoming.request)
        if !cookies.isEmpty { event["cookies"] = .array(cookies.map { .string($0) }) }
        event["headers"] = .object(
            JSONObject(
                ForwardedHeaders.joined(incoming, options, keepsCookie: keepsCookie)
                    .map { ($0.name, .string($0.value)) }))
        let query = QueryParameters(parsing: incoming.query).grouped
        guard !query.isEmpty else { return }
        event["queryStringParameters"] = .object(
            JSONObject(query.map { ($0.name, .string($0.values.joined(separator: ","))) }))
    }

    static func addBody(_ incoming: IncomingRequest, to event: inout JSONObject) {
        let body = BodyText(v2: incoming.request.body, contentType: incoming.contentType)
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
        _ incoming: IncomingRequest, key: String, _ scope: EventScope, grant: AuthorizerContext
    ) -> JSONObject {
        let domain = scope.domainName(incoming.request)
        var context: JSONObject = ["accountId": .string(scope.accountID)]
        context["apiId"] = .string(scope.apiID)
        if let authorizer = grant.v2 { context["authorizer"] = authorizer }
        context["domainName"] = .string(domain)
        context["domainPrefix"] = .string(domain.halves(at: ".").first)
        context["http"] = http(
            incoming, path: scope.staged(PercentText.httpPath(incoming.path)))
        context["requestId"] = .string(incoming.requestID)
        context["routeKey"] = .string(key)
        context["stage"] = .string(scope.stage)
        context["time"] = .string(incoming.commonLogTime)
        context["timeEpoch"] = .number(incoming.now.milliseconds)
        return context
    }

    static func http(_ incoming: IncomingRequest, path: String) -> JSON {
        [
            "method": .string(incoming.request.method), "path": .string(path),
            "protocol": .string(incoming.request.protocolVersion),
            "sourceIp": .string(incoming.request.peer.hostText),
            "userAgent": .string(incoming.request.header("user-agent") ?? ""),
        ]
    }

    /// The authorizer event of payload 2.0 (API Gateway Developer Guide, "Control access to HTTP
    /// APIs with AWS Lambda authorizers").
    static func authorizerEvent(
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope, identity: [String]
    ) -> JSON {
        let key = match.route.key
        var event: JSONObject = ["version": "2.0", "type": "REQUEST"]
        event["routeArn"] = .string(
            scope.routeARN(
                method: incoming.request.method, path: PercentText.httpPath(incoming.path)))
        event["identitySource"] =
            identity.isEmpty ? .null : .array(identity.map { .string($0) })
        for (name, value) in head(incoming, key: key, scope).members where name != "version" {
            event[name] = value
        }
        if event["queryStringParameters"] == nil { event["queryStringParameters"] = [:] }
        event["requestContext"] = .object(context(incoming, key: key, scope, grant: .none))
        event["pathParameters"] = parameters(match) ?? [:]
        event["stageVariables"] = .object(scope.stageVariables)
        return .object(event)
    }
}
