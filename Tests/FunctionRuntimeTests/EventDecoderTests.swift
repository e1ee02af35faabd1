import Bytes
import FunctionRuntime
import JSON
import Testing
import Time

private let context = InvocationContext(
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

private func functionURLEvent() -> JSONObject {
    [
        "version": "2.0", "routeKey": "$default", "rawPath": "/a%20b", "rawQueryString": "q=1&q=2",
        "cookies": ["sid=abc"],
        "headers": ["cookie": "sid=abc", "host": "u7x.lambda-url.us-east-1.on.aws"],
        "queryStringParameters": ["q": "1,2"],
        "requestContext": [
            "accountId": "anonymous", "domainName": "u7x.lambda-url.us-east-1.on.aws",
            "http": [
                "method": "POST", "path": "/a%20b", "sourceIp": "203.0.113.9",
                "userAgent": "curl/7",
            ],
            "requestId": "e1506fd5-9e7b-434f-bd42-4f8fa224b599", "stage": "$default",
        ],
        "body": "e30=", "isBase64Encoded": true,
    ]
}

private func restEvent(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
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

private func decode(
    _ event: JSONObject, basePath: String = ""
) throws -> (request: Request, replyForm: ReplyForm) {
    try EventDecoder(basePath: basePath).decode(event.serialized, in: context)
}

@Suite("EventDecoder") struct EventDecoderTests {
    @Test func `reads an HTTP API event`() throws {
        let (request, form) = try decode(gatewayEvent())
        #expect(form == .gatewayV2)
        #expect(request.form == .http)
        #expect(request.method == "POST")
        #expect(request.path == "/auth/v1/signin")
        #expect(request.query.map { "\($0.name)=\($0.value)" } == ["x=1", "x=2", "q=a b"])
        #expect(request.queryValue("x") == "1")
        #expect(request.header("content-type") == "application/json")
        #expect(request.header("Content-Type") == nil)
        #expect(request.cookies.map { "\($0.name)=\($0.value)" } == ["sid=abc", "theme=dark"])
        #expect(request.cookie("theme") == "dark")
        #expect(request.body == Array("{\"provider\":\"x\"}\n".utf8))
        #expect(request.sourceAddress == "203.0.113.9")
        #expect(request.userAgent == "curl/7.88.1")
        #expect(request.requestID == "JKJaXmPLvHcESHA=")
        #expect(request.deadline == context.deadline)
        #expect(request.payload == nil)
        #expect(request.defect == nil)
    }

    @Test func `reads a Function URL event: encoded path, cookies once, base64 body`() throws {
        let (request, form) = try decode(functionURLEvent())
        #expect(form == .gatewayV2)
        #expect(request.path == "/a b")
        #expect(request.cookies.map { "\($0.name)=\($0.value)" } == ["sid=abc"])
        #expect(request.header("cookie") == nil)
        #expect(request.body == Array("{}".utf8))
    }

    @Test func `reads a REST event: caller's case, lists before single values, encoded path`()
        throws
    {
        let (request, form) = try decode(restEvent())
        #expect(form == .restV1)
        #expect(request.method == "POST")
        #expect(request.path == "/auth/sign in")
        #expect(request.query.map(\.value) == ["1", "2"])
        #expect(request.header("x-a") == "1,2")
        #expect(request.header("content-type") == "application/json")
        let cookies = request.cookies.map { "\($0.name)=\($0.value)" }
        #expect(cookies == ["sid=abc", "theme=dark", "more=1"])
        #expect(request.requestID == "c6af9ac6-7b61-11e6-9a41-93e8deadbeef")
        #expect(request.sourceAddress == "203.0.113.9")
    }

    @Test func `null parts of a REST event are absent parts`() throws {
        let (request, _) = try decode(
            restEvent { event in
                for name in ["headers", "multiValueHeaders", "queryStringParameters", "body"] {
                    event[name] = .null
                }
                event["multiValueQueryStringParameters"] = .null
                event["requestContext"] = ["identity": ["sourceIp": .null], "requestId": .null]
            })
        #expect(request.headers.isEmpty)
        #expect(request.query.isEmpty)
        #expect(request.body.isEmpty)
        #expect(request.sourceAddress == nil)
        #expect(request.requestID == "context-id")
    }

    @Test func `single-value maps serve where there are no lists`() throws {
        let (request, _) = try decode(
            restEvent {
                $0["multiValueHeaders"] = nil
                $0["multiValueQueryStringParameters"] = nil
            })
        #expect(request.header("x-a") == "2")
        #expect(request.query.map(\.value) == ["2"])
    }

    @Test func `the smallest HTTP API event has no query, cookies, headers or body`() throws {
        let event: JSONObject = [
            "version": "2.0", "rawPath": "/", "requestContext": ["http": ["method": "GET"]],
        ]
        let (request, _) = try decode(event)
        #expect(request.path == "/")
        #expect(request.query.isEmpty && request.cookies.isEmpty && request.headers.isEmpty)
        #expect(request.body.isEmpty)
        #expect(request.requestID == "context-id")
    }

    @Test func `a bare object is a direct invoke and a rule's event is a schedule`() throws {
        let payload: JSONObject = ["action": "signin", "httpMethod": 7, "version": "1"]
        let direct = try decode(payload)
        #expect(direct.replyForm == .bare)
        #expect(direct.request.form == .direct)
        #expect(direct.request.payload == payload)
        #expect(direct.request.requestID == "context-id")
        let schedule = try decode([
            "version": "0", "id": "53dc4d37", "detail-type": "Scheduled Event",
            "source": "aws.events", "detail": [:],
        ])
        #expect(schedule.replyForm == .bare)
        #expect(schedule.request.form == .schedule)
        #expect(schedule.request.payload?["id"] == "53dc4d37")
    }

    @Test(arguments: [
        ("prod", "/prod/a/b", "", "/a/b"), ("prod", "/prod", "", "/"), ("prod", "/prod/", "", "/"),
        ("prod", "/production/a", "", "/production/a"), ("prod", "/a/prod", "", "/a/prod"),
        ("$default", "/prod/a", "", "/prod/a"), ("prod", "/prod/prod/a", "", "/prod/a"),
        ("prod", "/PROD/a", "", "/PROD/a"), ("prod", "/prod/api/a", "/api", "/a"),
        ("$default", "/api", "/api", "/"), ("$default", "/apis", "/api", "/apis"),
        ("prod", "/prod/a%252Fb", "", "/a%2Fb"), ("prod", "/prod/%C3%A9%20+", "", "/é +"),
        ("prod", "", "", "/"),
    ])
    func `stage and base path go, as whole segments, and the rest is decoded once`(
        stage: String, rawPath: String, basePath: String, expected: String
    ) throws {
        let (request, _) = try decode(
            gatewayEvent { event in
                event["rawPath"] = .string(rawPath)
                event["requestContext"] = ["http": ["method": "GET"], "stage": .string(stage)]
            }, basePath: basePath)
        #expect(request.path == expected)
        #expect(request.defect == nil)
    }

    @Test(arguments: [
        ("/a%", "", RequestDefect.path), ("/a%2", "", .path), ("/%zz", "", .path),
        ("/%ff", "", .path), ("/%C0%AF", "", .path), ("/%ED%A0%80", "", .path),
        ("/a%00", "", .path),
        ("/a%0Ab", "", .path), ("/a%7F", "", .path), ("/", "a=%", .query), ("/", "a=%f", .query),
        ("/", "%ff=1", .query),
        ("/", String(repeating: "a&", count: 101), .tooManyFields),
        ("/%", "%", .path),
    ])
    func `a request that nobody can read is the caller's mistake`(
        path: String, query: String, defect: RequestDefect
    ) throws {
        let (request, _) = try decode(
            gatewayEvent {
                $0["rawPath"] = .string(path)
                $0["rawQueryString"] = .string(query)
            })
        #expect(request.defect == defect)
        #expect(request.requestID == "JKJaXmPLvHcESHA=")
    }

    @Test func `too many headers or cookies are the caller's mistake too`() throws {
        let many = (0...RequestLimits.headersMax).map { ("h\($0)", JSON.string("")) }
        let headers = try decode(gatewayEvent { $0["headers"] = .object(JSONObject(many)) })
        #expect(headers.request.defect == .tooManyFields)
        let jar = (0...RequestLimits.cookiesMax).map { "c\($0)=" }.joined(separator: ";")
        let cookies = try decode(gatewayEvent { $0["cookies"] = [.string(jar)] })
        #expect(cookies.request.defect == .tooManyFields)
        #expect(cookies.request.cookies.count == RequestLimits.cookiesMax)
    }

    @Test func `only ASCII letters are lowered in a header's name`() throws {
        let (request, _) = try decode(
            restEvent {
                $0["multiValueHeaders"] = ["X-\u{212A}": ["kelvin"], "X-K": ["k"], "x-k": ["l"]]
            })
        #expect(request.header("x-k") == "k,l")
        #expect(request.header("x-\u{212A}") == "kelvin")
    }

    @Test(arguments: ["", "bad id", "a\nb", "é", String(repeating: "a", count: 129)])
    func `an identifier that may not stand in a log is replaced`(identifier: String) throws {
        let (request, _) = try decode(
            gatewayEvent {
                $0["requestContext"] = [
                    "http": ["method": "GET"], "requestId": .string(identifier),
                ]
            })
        #expect(request.requestID == "context-id")
    }
}

@Suite("EventDecoder, malformed events") struct MalformedEventTests {
    @Test(
        arguments: [
            ("", EventFailure.notJSON(.syntax(offset: 0))),
            ("nonsense", .notJSON(.syntax(offset: 1))),
            ("{} x", .notJSON(.trailingBytes(offset: 3))),
            ("{\"a\":1,\"a\":2}", .notJSON(.duplicateName(offset: 7))),
            ("[]", .notAnObject), ("null", .notAnObject), ("\"text\"", .notAnObject),
            ("3", .notAnObject),
            ("{\"version\":\"2.0\",\"rawPath\":\"/\"}", .missing(field: "requestContext")),
            ("{\"version\":\"2.0\",\"requestContext\":{}}", .missing(field: "requestContext.http")),
            (
                "{\"version\":\"2.0\",\"requestContext\":{\"http\":{}}}",
                .missing(field: "requestContext.http.method")
            ),
            (
                "{\"version\":\"2.0\",\"requestContext\":{\"http\":{\"method\":\"GET\"}}}",
                .missing(field: "rawPath")
            ),
            ("{\"httpMethod\":\"GET\",\"resource\":\"/\"}", .missing(field: "path")),
            (
                "{\"httpMethod\":\"GET\",\"resource\":\"/\",\"path\":7}", .wrongType(field: "path")
            ),
        ] as [(String, EventFailure)])
    func `is refused with the reason`(text: String, failure: EventFailure) {
        #expect(throws: failure) {
            _ = try EventDecoder().decode(Array(text.utf8), in: context)
        }
    }

    @Test(
        arguments: [
            ("headers", [], "headers"), ("headers", ["a": 1], "headers"),
            ("cookies", "a=b", "cookies"),
            ("cookies", [1], "cookies"), ("body", [:], "body"),
            ("isBase64Encoded", "true", "isBase64Encoded"), ("rawQueryString", 1, "rawQueryString"),
            ("requestContext", ["http": "x"], "http"),
            ("requestContext", ["http": ["method": 1]], "method"),
            ("requestContext", ["http": ["method": "GET"], "stage": 1], "stage"),
        ] as [(String, JSON, String)])
    func `a part of the wrong type is refused`(name: String, value: JSON, field: String) {
        #expect(throws: EventFailure.wrongType(field: field)) {
            _ = try decode(gatewayEvent { $0[name] = value })
        }
    }

    @Test(arguments: ["e30", "e31=", "*", "e30=\n"])
    func `a body that is not base64 though it says so is refused`(body: String) {
        #expect(throws: EventFailure.bodyNotBase64) {
            _ = try decode(
                gatewayEvent {
                    $0["body"] = .string(body)
                    $0["isBase64Encoded"] = true
                })
        }
    }

    @Test func `an authorizer's event is not a request`() {
        let v2 = gatewayEvent {
            $0["type"] = "REQUEST"
            $0["routeArn"] = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/GET/me"
        }
        let rest = restEvent {
            $0["type"] = "REQUEST"
            $0["methodArn"] = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/GET/me"
        }
        for event in [v2, rest, ["type": "TOKEN", "methodArn": "arn:aws:x"]] {
            #expect(throws: EventFailure.authorizerEvent) { _ = try decode(event) }
        }
    }

    @Test func `an event over the limit is refused unread`() {
        let event = [UInt8](repeating: 0x20, count: RequestLimits.eventBytesMax + 1)
        #expect(throws: EventFailure.tooLarge) {
            _ = try EventDecoder().decode(event, in: context)
        }
    }

    @Test func `random damage to an event never crashes`() {
        let bytes = gatewayEvent().serialized
        var state: UInt64 = 0xE7E9
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            _ = try? EventDecoder().decode(damaged, in: context)
        }
    }
}
