import FunctionRuntime
import JSON
import Testing
import Time

@Suite("EventDecoder") struct EventDecoderTests {
    @Test func `reads an HTTP API event`() throws {
        let (request, form) = try decoded(gatewayEvent())
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
        #expect(request.deadline == sampleContext.deadline)
        #expect(request.payload == nil)
        #expect(request.defect == nil)
    }

    @Test func `reads a Function URL event: encoded path, cookies once, base64 body`() throws {
        let (request, form) = try decoded(functionURLEvent())
        #expect(form == .gatewayV2)
        #expect(request.path == "/a b")
        #expect(request.cookies.map { "\($0.name)=\($0.value)" } == ["sid=abc"])
        #expect(request.header("cookie") == nil)
        #expect(request.body == Array("{}".utf8))
    }

    @Test func `reads a REST event: caller's case, lists before single values, encoded path`()
        throws
    {
        let (request, form) = try decoded(restEvent())
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
        let (request, _) = try decoded(
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

    @Test func `single-value maps are used if there are no multi-value maps`() throws {
        let (request, _) = try decoded(
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
        let (request, _) = try decoded(event)
        #expect(request.path == "/")
        #expect(request.query.isEmpty && request.cookies.isEmpty && request.headers.isEmpty)
        #expect(request.body.isEmpty)
        #expect(request.requestID == "context-id")
    }

    @Test func `a bare object is a direct invocation and a rule's event is a schedule`() throws {
        let payload: JSONObject = ["action": "signin", "httpMethod": 7, "version": "1"]
        let direct = try decoded(payload)
        #expect(direct.replyForm == .bare)
        #expect(direct.request.form == .direct)
        #expect(direct.request.payload == payload)
        #expect(direct.request.requestID == "context-id")
        let schedule = try decoded([
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
    func `stage and base path are removed as whole segments, and the rest is decoded once`(
        stage: String, rawPath: String, basePath: String, expected: String
    ) throws {
        let (request, _) = try decoded(
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
        ("/a%00", "", .path), ("/auth%2fme", "", .path), ("/auth%2Fme", "", .path),
        ("/a%0Ab", "", .path), ("/a%7F", "", .path), ("/", "a=%", .query), ("/", "a=%f", .query),
        ("/", "%ff=1", .query),
        ("/", String(repeating: "a&", count: 101), .tooManyFields),
        ("/%", "%", .path),
    ])
    func `a request that cannot be decoded is a client error`(
        path: String, query: String, defect: RequestDefect
    ) throws {
        let (request, _) = try decoded(
            gatewayEvent {
                $0["rawPath"] = .string(path)
                $0["rawQueryString"] = .string(query)
            })
        #expect(request.defect == defect)
        #expect(request.requestID == "JKJaXmPLvHcESHA=")
    }

    @Test func `too many headers or cookies are a client error`() throws {
        let many = (0...RequestLimits.headersMax).map { ("h\($0)", JSON.string("")) }
        let headers = try decoded(gatewayEvent { $0["headers"] = .object(JSONObject(many)) })
        #expect(headers.request.defect == .tooManyFields)
        let jar = (0...RequestLimits.cookiesMax).map { "c\($0)=" }.joined(separator: ";")
        let cookies = try decoded(gatewayEvent { $0["cookies"] = [.string(jar)] })
        #expect(cookies.request.defect == .tooManyFields)
        #expect(cookies.request.cookies.count == RequestLimits.cookiesMax)
    }

    /// `count` values of `x` under one name, or under names that differ only in case.
    private static func repeated(_ count: Int) -> [(String, JSONObject)] {
        let values = JSON.array([JSON](repeating: "v", count: count))
        let oneName = restEvent { $0["multiValueHeaders"] = ["x-repeated": values] }
        let twoNames = restEvent {
            let half = JSON.array([JSON](repeating: "v", count: count / 2))
            $0["multiValueHeaders"] = ["X-Repeated": half, "x-repeated": half]
        }
        return [("one name", oneName), ("two spellings", twoNames)]
    }

    @Test func `each value of a repeated header counts as a header`() throws {
        for (name, event) in Self.repeated(RequestLimits.headersMax) {
            let (request, _) = try decoded(event)
            #expect(request.defect == nil, "\(name)")
            #expect(request.header("x-repeated")?.utf8.count == 2 * RequestLimits.headersMax - 1)
        }
        for (name, event) in Self.repeated(RequestLimits.headersMax + 2) {
            let (request, _) = try decoded(event)
            #expect(request.defect == .tooManyFields, "\(name)")
        }
    }

    // Joining the values by copying took 11.5 s for 1.8 MB. The request shows afterwards how many
    // were joined.
    @Test(arguments: [300_000, 1_000_000])
    func `a header with a great many values is refused at the limit`(count: Int) throws {
        for (name, event) in Self.repeated(count) {
            let (request, _) = try decoded(event)
            #expect(request.defect == .tooManyFields, "\(name)")
            let joined = request.header("x-repeated") ?? ""
            #expect(joined.utf8.count <= 2 * RequestLimits.headersMax, "\(name)")
        }
    }

    @Test(arguments: ["headers", "multiValueHeaders"])
    func `the size of headers is limited`(member: String) throws {
        func request(_ bytes: Int) throws -> Request {
            let text = JSON.string(String(repeating: "v", count: bytes - 1))
            let value = member == "headers" ? text : .array([text])
            return try decoded(restEvent { $0.replaceHeaders(member, ["x": value]) }).request
        }
        #expect(try request(RequestLimits.headerBytesMax).defect == nil)
        #expect(try request(RequestLimits.headerBytesMax + 1).defect == .tooManyFields)
    }

    @Test func `the size of cookies is limited, in headers and in the list`() throws {
        let junk = String(repeating: ";", count: RequestLimits.headerBytesMax + 1)
        let listed = try decoded(gatewayEvent { $0["cookies"] = [.string(junk)] }).request
        #expect(listed.defect == .tooManyFields)
        let header = try decoded(
            restEvent { $0["multiValueHeaders"] = ["Cookie": [.string(junk)]] }
        ).request
        #expect(header.defect == .tooManyFields)
        let many = [JSON](repeating: "no cookie", count: 300_000)
        let list = try decoded(gatewayEvent { $0["cookies"] = .array(many) }).request
        #expect(list.defect == .tooManyFields)
        #expect(list.cookies.isEmpty)
    }

    @Test(arguments: ["queryStringParameters", "multiValueQueryStringParameters"])
    func `query parameters are limited by number and size`(member: String) throws {
        func request(_ count: Int, bytes: Int = 0) throws -> Request {
            let long = JSON.string(String(repeating: "v", count: bytes))
            let isList = member == "multiValueQueryStringParameters"
            let members = (0..<count).map { ("p\($0)", isList ? .array([long]) : long) }
            return try decoded(
                restEvent {
                    $0["queryStringParameters"] = nil
                    $0["multiValueQueryStringParameters"] = nil
                    $0[member] = .object(JSONObject(members))
                }
            ).request
        }
        #expect(try request(RequestLimits.queryParametersMax).defect == nil)
        #expect(try request(RequestLimits.queryParametersMax + 1).defect == .tooManyFields)
        #expect(try request(1, bytes: RequestLimits.queryBytesMax - 2).defect == nil)
        #expect(try request(1, bytes: RequestLimits.queryBytesMax).defect == .tooManyFields)
    }

    @Test func `a path or a query string over its limit is refused`() throws {
        func defect(_ member: String, _ bytes: Int) throws -> RequestDefect? {
            let text = JSON.string("/" + String(repeating: "a", count: bytes - 1))
            return try decoded(gatewayEvent { $0[member] = text }).request.defect
        }
        #expect(try defect("rawPath", RequestLimits.pathBytesMax) == nil)
        #expect(try defect("rawPath", RequestLimits.pathBytesMax + 1) == .path)
        #expect(try defect("rawQueryString", RequestLimits.queryBytesMax) == nil)
        #expect(try defect("rawQueryString", RequestLimits.queryBytesMax + 1) == .tooManyFields)
    }

    @Test func `only ASCII letters are lowercased in a header's name`() throws {
        let (request, _) = try decoded(
            restEvent {
                $0["multiValueHeaders"] = ["X-\u{212A}": ["kelvin"], "X-K": ["k"], "x-k": ["l"]]
            })
        #expect(request.header("x-k") == "k,l")
        #expect(request.header("x-\u{212A}") == "kelvin")
    }

    @Test(arguments: ["", "bad id", "a\nb", "é", String(repeating: "a", count: 129)])
    func `a request id that is not safe to log is replaced`(identifier: String) throws {
        let (request, _) = try decoded(
            gatewayEvent {
                $0["requestContext"] = [
                    "http": ["method": "GET"], "requestId": .string(identifier),
                ]
            })
        #expect(request.requestID == "context-id")
    }
}

extension JSONObject {
    /// Replaces the event's headers in the member `member`.
    fileprivate mutating func replaceHeaders(_ member: String, _ headers: JSON) {
        self["headers"] = nil
        self["multiValueHeaders"] = nil
        self[member] = headers
    }
}
