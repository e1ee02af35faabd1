internal import Bytes
internal import EmulatorBase
internal import EmulatorTemplate
internal import JSON
internal import Time

/// Payload 1.0: a REST API, or a route of an HTTP API with that payload version (API Gateway
/// Developer Guide, "Lambda proxy integrations").
enum EventV1 {
    static func event(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        binaryTypes: [String], grant: AuthorizerContext
    ) -> JSON {
        var event = head(arrival, match, scope, kind: kind)
        event["requestContext"] = context(arrival, match, scope, kind: kind, grant: grant)
        let body =
            kind == .rest
            ? BodyText(
                rest: arrival.request.body, contentType: arrival.contentType,
                binaryTypes: binaryTypes)
            : BodyText(v2: arrival.request.body, contentType: arrival.contentType)
        event["body"] = body.text.map { .string($0) } ?? .null
        event["isBase64Encoded"] = .bool(body.isBase64)
        return .object(event)
    }

    /// The members that the function's and the authorizer's event share. Absent values are null.
    private static func head(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind
    ) -> JSONObject {
        var event: JSONObject = kind == .http ? ["version": "1.0"] : [:]
        event["resource"] = .string(match.route.pattern?.text ?? API.defaultStage)
        event["path"] = .string(
            kind == .rest ? arrival.path : scope.staged(PercentText.httpPath(arrival.path)))
        event["httpMethod"] = .string(arrival.request.method)
        let headers = ForwardedHeaders.listed(arrival, scope.options)
        event["headers"] = .object(
            JSONObject(headers.map { ($0.name, .string($0.values.last ?? "")) }))
        event["multiValueHeaders"] = .object(JSONObject(headers.map { ($0.name, list($0.values)) }))
        let query = QueryParameters(parsing: arrival.query).grouped
        event["queryStringParameters"] = object(
            query.map { ($0.name, .string($0.values.last ?? "")) })
        event["multiValueQueryStringParameters"] = object(query.map { ($0.name, list($0.values)) })
        event["pathParameters"] = object(
            match.parameters.map {
                ($0.name, .string(kind == .rest ? $0.value : PercentText.httpPath($0.value)))
            })
        event["stageVariables"] =
            scope.stageVariables.isEmpty ? .null : .object(scope.stageVariables)
        return event
    }

    private static func list(_ values: [String]) -> JSON { .array(values.map { .string($0) }) }

    private static func object(_ members: [(String, JSON)]) -> JSON {
        members.isEmpty ? .null : .object(JSONObject(members))
    }

    private static func context(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        grant: AuthorizerContext
    ) -> JSON {
        let resource = match.route.pattern?.text ?? API.defaultStage
        let domain = scope.domainName(arrival.request)
        var context: JSONObject = ["resourceId": .string(ResourceID.of(resource))]
        if let authorizer = grant.v1(
            stringifies: kind == .rest && scope.options.restStringifiesContext)
        {
            context["authorizer"] = authorizer
        }
        context["resourcePath"] = .string(resource)
        context["httpMethod"] = .string(arrival.request.method)
        context["extendedRequestId"] = .string(arrival.extendedRequestID)
        context["requestTime"] = .string(arrival.commonLogTime)
        context["path"] = .string(
            scope.staged(kind == .rest ? arrival.path : PercentText.httpPath(arrival.path)))
        context["accountId"] = .string(scope.accountID)
        context["protocol"] = .string(arrival.request.protocolVersion)
        context["stage"] = .string(scope.stage)
        context["domainPrefix"] = .string(domain.halves(at: ".").first)
        context["requestTimeEpoch"] = .number(arrival.now.milliseconds)
        context["requestId"] = .string(arrival.requestID)
        context["identity"] = identity(arrival.request, grant)
        context["domainName"] = .string(domain)
        context["deploymentId"] = .string(ResourceID.of("\(scope.apiID)/\(scope.stage)"))
        context["apiId"] = .string(scope.apiID)
        return .object(context)
    }

    private static func identity(_ request: ServerRequest, _ grant: AuthorizerContext) -> JSON {
        var identity: JSONObject = [:]
        for name in [
            "cognitoIdentityPoolId", "accountId", "cognitoIdentityId", "caller", "sourceIp",
            "principalOrgId", "accessKey", "cognitoAuthenticationType",
            "cognitoAuthenticationProvider", "userArn", "userAgent", "user",
        ] {
            identity[name] = .null
        }
        identity["sourceIp"] = .string(request.peer.hostText)
        identity["userAgent"] = request.header("user-agent").map { .string($0) } ?? .null
        if case .iam(let caller) = grant {
            identity["accountId"] = .string(caller.accountID)
            identity["caller"] = .string(caller.callerID)
            identity["accessKey"] = .string(caller.accessKey)
            identity["userArn"] = .string(caller.userARN)
            identity["user"] = .string(caller.userID)
        }
        return .object(identity)
    }

    /// The event of a `REQUEST` authorizer.
    static func authorizerEvent(
        _ arrival: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        identity: [String]
    ) -> JSON {
        var event: JSONObject = kind == .http ? ["version": "1.0"] : [:]
        event["type"] = "REQUEST"
        let arn = scope.routeARN(method: arrival.request.method, path: arrival.path)
        event["methodArn"] = .string(arn)
        if kind == .http {
            event["identitySource"] = .string(identity.joined(separator: ","))
            event["authorizationToken"] = .string(identity.joined(separator: ","))
        }
        for (name, value) in head(arrival, match, scope, kind: kind).members
        where event[name] == nil {
            event[name] = value.isNull ? [:] : value
        }
        event["requestContext"] = context(arrival, match, scope, kind: kind, grant: .none)
        return .object(event)
    }

    /// The event of a `TOKEN` authorizer.
    static func tokenEvent(_ arrival: IncomingRequest, _ scope: EventScope, token: String) -> JSON {
        [
            "type": "TOKEN",
            "methodArn": .string(
                scope.routeARN(method: arrival.request.method, path: arrival.path)),
            "authorizationToken": .string(token),
        ]
    }
}
