internal import EmulatorBase
internal import HTTP
internal import JSON

// The gateways' own error responses, byte for byte (API Gateway Developer Guide, "Gateway
// responses").
extension GatewayError {
    func httpAPI(_ options: GatewayOptions) -> ServerResponse {
        func answer(_ status: Int, _ message: String) -> ServerResponse {
            ServerResponse(
                status: status, headers: [HTTPHeader("content-type", "application/json")],
                body: Self.message("message", message))
        }
        switch self {
        case .noRoute, .noStage: return answer(404, "Not Found")
        case .unauthorized(let challenge?):
            // Without a content type (API Gateway Developer Guide, "Troubleshooting issues with
            // HTTP API JWT authorizers").
            return ServerResponse(
                status: 401, headers: [HTTPHeader("www-authenticate", challenge)],
                body: Self.message("message", "Unauthorized"))
        case .unauthorized(nil): return answer(401, "Unauthorized")
        case .scopeMissing(let challenge):
            var forbidden = answer(403, "Forbidden")
            forbidden.headers.append(HTTPHeader("www-authenticate", challenge))
            return forbidden
        case .denied, .notSigned: return answer(403, "Forbidden")
        case .authorizerFailed, .functionFailed: return answer(500, "Internal Server Error")
        case .integrationTimedOut: return answer(503, "Service Unavailable")
        case .throttled: return answer(429, "Too Many Requests")
        case .functionThrottled:
            return options.functionThrottle == .tooManyRequests
                ? answer(429, "Too Many Requests") : answer(503, "Service Unavailable")
        case .headTooLarge:
            return options.headTooLargeStatus == 431
                ? answer(431, "Request Header Fields Too Large") : answer(400, "Bad Request")
        case .bodyTooLarge, .eventTooLarge: return answer(413, "Request Entity Too Large")
        }
    }

    func restAPI(_ options: GatewayOptions) -> ServerResponse {
        func answer(_ status: Int, _ type: String, _ body: [UInt8]) -> ServerResponse {
            ServerResponse(
                status: status,
                headers: [
                    HTTPHeader("Content-Type", "application/json"),
                    HTTPHeader("x-amzn-ErrorType", type),
                ], body: body)
        }
        func message(_ text: String) -> [UInt8] { Self.message("message", text) }
        let failed = "InternalServerErrorException"
        switch self {
        case .noRoute, .notSigned:
            return answer(
                403, "MissingAuthenticationTokenException",
                message("Missing Authentication Token"))
        case .noStage: return answer(403, "ForbiddenException", message("Forbidden"))
        case .unauthorized:
            return answer(401, "UnauthorizedException", message("Unauthorized"))
        case .denied(let isExplicit):
            let text = "User is not authorized to access this resource"
            return answer(
                403, "AccessDeniedException",
                Self.message("Message", isExplicit ? "\(text) with an explicit deny" : text))
        case .scopeMissing:
            return answer(403, "AccessDeniedException", message("Forbidden"))
        case .authorizerFailed:
            return answer(
                500, "AuthorizerConfigurationException", Array(#"{"message":null}"#.utf8))
        case .functionFailed: return answer(502, failed, message("Internal server error"))
        case .integrationTimedOut:
            return answer(504, failed, message("Endpoint request timed out"))
        case .throttled:
            return answer(429, "TooManyRequestsException", message("Too Many Requests"))
        case .functionThrottled:
            return options.functionThrottle == .tooManyRequests
                ? GatewayError.throttled.restAPI(options)
                : GatewayError.functionFailed.restAPI(options)
        case .headTooLarge:
            return options.headTooLargeStatus == 431
                ? answer(431, "BadRequestException", message("Request Header Fields Too Large"))
                : answer(400, "BadRequestException", message("Bad Request"))
        case .bodyTooLarge:
            return answer(
                413, "RequestTooLargeException",
                message("HTTP content length exceeded \(options.bodyBytesMax) bytes."))
        case .eventTooLarge:
            return answer(413, "RequestTooLargeException", message("Request Too Long"))
        }
    }

    func functionURL(_ options: GatewayOptions) -> ServerResponse {
        func answer(_ status: Int, _ type: String?, _ body: String) -> ServerResponse {
            var headers = [HTTPHeader("content-type", "application/json")]
            if let type { headers.append(HTTPHeader("x-amzn-ErrorType", type)) }
            return ServerResponse(status: status, headers: headers, body: Array(body.utf8))
        }
        switch self {
        case .noRoute, .noStage:
            return answer(403, "AccessDeniedException", #"{"Message":null}"#)
        case .notSigned, .unauthorized, .denied, .scopeMissing, .authorizerFailed:
            let page = "https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html"
            return answer(
                403, "AccessDeniedException",
                #"{"Message":"Forbidden. For troubleshooting Function URL authorization issues, "#
                    + #"see: \#(page)"}"#)
        case .functionFailed, .integrationTimedOut:
            return ServerResponse(
                status: 502, headers: [HTTPHeader("content-type", "text/plain")],
                body: Array("Internal Server Error".utf8))
        case .throttled, .functionThrottled:
            return answer(
                429, "TooManyRequestsException",
                #"{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User","#
                    + #""message":"Rate Exceeded."}"#)
        case .headTooLarge:
            return options.headTooLargeStatus == 431
                ? answer(431, nil, #"{"Message":"Request Header Fields Too Large"}"#)
                : answer(400, nil, #"{"Message":"Bad Request"}"#)
        case .bodyTooLarge, .eventTooLarge:
            return answer(
                413, "RequestEntityTooLargeException",
                #"{"Message":"Request must be smaller than \#(options.eventBytesMax) bytes for "#
                    + #"the InvokeFunction operation"}"#)
        }
    }

    private static func message(_ name: String, _ text: String) -> [UInt8] {
        JSON.object([name: .string(text)]).serialized
    }
}
