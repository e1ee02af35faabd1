internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// Payload 1.0: a REST API, or a route of an HTTP API with that payload version (API Gateway
/// Developer Guide, "Lambda proxy integrations").
enum EventV1 {
    static func event(
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        binaryTypes: [String], grant: AuthorizerContext
    ) -> JSON {
        var event = head(incoming, match, scope, kind: kind)
        event["requestContext"] = context(incoming, match, scope, kind: kind, grant: grant)
        let body =
            kind == .rest
            ? BodyText(
                rest: incoming.request.body, contentType: incoming.contentType,
                binaryTypes: binaryTypes)
            : BodyText(v2: incoming.request.body, contentType: incoming.contentType)
        event["body"] = body.text.map { .string($0) } ?? .null
        event["isBase64Encoded"] = .bool(body.isBase64)
        return .object(event)
    }

    /// The members that the function's and the authorizer's event share. Absent values are null.
    private static func head(
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind
    ) -> JSONObject {
        var event: JSONObject = kind == .http ? ["version": "1.0"] : [:]
        event["resource"] = .string(match.route.pattern?.text ?? API.defaultStage)
        event["path"] = .string(
            kind == .rest ? incoming.path : scope.staged(PercentText.httpPath(incoming.path)))
        event["httpMethod"] = .string(incoming.request.method)
        let headers = ForwardedHeaders.listed(incoming, scope.options)
        event["headers"] = .object(
            JSONObject(headers.map { ($0.name, .string($0.values.last ?? "")) }))
        event["multiValueHeaders"] = .object(JSONObject(headers.map { ($0.name, list($0.values)) }))
        let query = QueryParameters(parsing: incoming.query).grouped
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
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        grant: AuthorizerContext
    ) -> JSON {
        let resource = match.route.pattern?.text ?? API.defaultStage
        let domain = scope.domainName(incoming.request)
        var context: JSONObject = ["resourceId": .string(ResourceID.of(resource))]
        if let authorizer = grant.v1(
            stringifies: kind == .rest && scope.options.restStringifiesContext)
        {
            context["authorizer"] = authorizer
        }
        context["resourcePath"] = .string(resource)
        context["httpMethod"] = .string(incoming.request.method)
        context["extendedRequestId"] = .string(incoming.extendedRequestID)
        context["requestTime"] = .string(incoming.commonLogTime)
        context["path"] = .string(
            scope.staged(kind == .rest ? incoming.path : PercentText.httpPath(incoming.path)))
        context["accountId"] = .string(scope.accountID)
        context["protocol"] = .string(incoming.request.protocolVersion)
        context["stage"] = .string(scope.stage)
        context["domainPrefix"] = .string(domain.halves(at: ".").first)
        context["requestTimeEpoch"] = .number(incoming.now.milliseconds)
        context["requestId"] = .string(incoming.requestID)
        context["identity"] = identity(incoming.request, grant)
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
        _ incoming: IncomingRequest, _ match: Router.Match, _ scope: EventScope, kind: API.Kind,
        identity: [String]
    ) -> JSON {
        var event: JSONObject = kind == .http ? ["version": "1.0"] : [:]
        event["type"] = "REQUEST"
        let arn = scope.routeARN(method: incoming.request.method, path: incoming.path)
        event["methodArn"] = .string(arn)
        if kind == .http {
            event["identitySource"] = .string(identity.joined(separator: ","))
            event["authorizationToken"] = .string(identity.joined(separator: ","))
        }
        for (name, value) in head(incoming, match, scope, kind: kind).members
        where event[name] == nil {
            event[name] = value.isNull ? [:] : value
        }
        event["requestContext"] = context(incoming, match, scope, kind: kind, grant: .none)
        return .object(event)
    }

    /// The event of a `TOKEN` authorizer.
    static func tokenEvent(_ incoming: IncomingRequest, _ scope: EventScope, token: String) -> JSON
    {
        [
            "type": "TOKEN",
            "methodArn": .string(
                scope.routeARN(method: incoming.request.method, path: incoming.path)),
            "authorizationToken": .string(token),
        ]
    }
}
