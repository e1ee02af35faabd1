let sampleContext = InvocationContext(
    requestID: "context-id", deadline: Instant(milliseconds: 1_700_000_000_123))

func gatewayEvent(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var event: JSONObject = [
        "version": "2.0", "routeKey": "POST /auth/v1/{op}", "rawPath": "/prod/auth/v1/signin",
        "rawQueryString": "x=1&x=2&q=a%20b", "cookies": ["sid=abc", "theme=dark"],
        "headers": [
            "accept": "*/*", "content-type": "application/json",
            "host": "a1b2c3.execute-api.us-east-1.amazonaws.com", "x-forwarded-for": "203.0.113.9",
        ],
        "queryStringParameters": ["x": "1,2", "q": "a b"], "pathParameters": ["op": "signin"],
        "requestContext": [
            "accountId": "123456789012", "apiId": "a1b2c3",
            "http": [
                "method": "POST", "path": "/prod/auth/v1/signin", "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.9", "userAgent": "curl/7.88.1",
            ],
            "requestId": "JKJaXmPLvHcESHA=", "routeKey": "POST /auth/v1/{op}", "stage": "prod",
            "time": "12/Mar/2020:19:03:58 +0000", "timeEpoch": 1_584_039_838_390,
        ],
        "body": "{\"provider\":\"x\"}\n", "isBase64Encoded": false,
    ]
    changes(&event)
    return event
}

func restEvent(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
    var event: JSONObject = [
        "resource": "/auth/{proxy+}", "path": "/auth/sign%20in", "httpMethod": "post",
        "headers": ["Accept": "*/*", "Content-Type": "application/json", "X-A": "2"],
        "multiValueHeaders": [
            "Accept": ["*/*"], "Content-Type": ["application/json"], "X-A": ["1", "2"],
            "Cookie": ["sid=abc; theme=dark", "more=1"],
        ],
        "queryStringParameters": ["x": "2"],
        "multiValueQueryStringParameters": ["x": ["1", "2"]],
        "pathParameters": ["proxy": "sign%20in"], "stageVariables": .null,
        "requestContext": [
            "stage": "prod", "path": "/prod/auth/sign%20in",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "identity": [
                "cognitoIdentityId": .null, "sourceIp": "203.0.113.9", "userAgent": "curl/7",
            ],
        ],
        "body": "{\"a\":1}", "isBase64Encoded": false,
    ]
    changes(&event)
    return event
}

func decoded(
    _ event: JSONObject, basePath: String = ""
) throws -> (request: Request, replyForm: ReplyForm) {
    try EventDecoder(basePath: basePath).decode(event.serialized, in: sampleContext)
}
