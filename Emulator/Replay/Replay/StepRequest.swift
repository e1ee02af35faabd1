internal import JSON

/// The event of an HTTP API, for steps that say a request in short.
enum StepRequest {
    static func event(method: String, path: String, body: JSON?, bearer: String?) -> JSON {
        var headers: JSONObject = ["content-type": "application/json"]
        headers["authorization"] = bearer.map { .string("Bearer \($0)") }
        var event: JSONObject = [
            "version": "2.0", "routeKey": "$default", "rawPath": .string(path),
            "rawQueryString": "", "headers": .object(headers),
            "requestContext": [
                "http": [
                    "method": .string(method), "path": .string(path), "protocol": "HTTP/1.1",
                    "sourceIp": "203.0.113.9", "userAgent": "App/1.0",
                ],
                "requestId": "JKJaXmPLvHcESHA=", "routeKey": "$default", "stage": "$default",
            ],
            "isBase64Encoded": false,
        ]
        event["body"] = body.map { .string($0.text) }
        return .object(event)
    }
}
