internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// The event of a Function URL: payload 2.0 with differences (Lambda Developer Guide, "Invoking
/// Lambda function URLs").
enum FunctionURLEvent {
    static func event(_ incoming: IncomingRequest, _ scope: EventScope, caller: IAMCaller?) -> JSON
    {
        let domain = scope.domainName(incoming.request)
        var event: JSONObject = [
            "version": "2.0", "routeKey": "$default", "rawPath": .string(incoming.path),
            "rawQueryString": .string(incoming.query),
        ]
        EventV2.addFields(incoming, scope.options, keepsCookie: true, to: &event)
        var context: JSONObject = [
            "accountId": .string(caller?.accountID ?? "anonymous"),
            "apiId": .string(scope.apiID),
        ]
        if let caller, let authorizer = AuthorizerContext.iam(caller).v2 {
            context["authorizer"] = authorizer
        }
        context["domainName"] = .string(domain)
        context["domainPrefix"] = .string(domain.halves(at: ".").first)
        context["http"] = EventV2.http(incoming, path: incoming.path)
        context["requestId"] = .string(incoming.requestID)
        context["routeKey"] = "$default"
        context["stage"] = "$default"
        context["time"] = .string(incoming.commonLogTime)
        context["timeEpoch"] = .number(incoming.now.milliseconds)
        event["requestContext"] = .object(context)
        EventV2.addBody(incoming, to: &event)
        return .object(event)
    }
}
