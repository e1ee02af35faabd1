import BaseTestSupport
import EmulatorBase
import EmulatorGateway

@Suite("HostileRequests") struct HostileTests {
    /// SplitMix64: the same requests on every run.
    private struct RandomRequest {
        var state: UInt64
        mutating func next(_ limit: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return Int((word ^ word >> 31) % UInt64(limit))
        }
        mutating func text(_ alphabet: [String], _ lengthMax: Int) -> String {
            (0..<next(lengthMax + 1)).map { _ in alphabet[next(alphabet.count)] }.joined()
        }
    }

    private static let alphabet = [
        "/", "/", "a", "b", "%", "%2", "%2F", "%25", "%00", "%FF", "%C3%A9", "?", "&", "=", "+",
        ";", " ", "\u{0}", "\r\n", "é", "\u{212A}", "{", "}", "prod", "..", "#", "\"", "\\", "x",
        "_lambda-url", "F", "_api", "Api", ",", ":", "http://", "Bearer ", "e30.e30.e30",
    ]
    private static let names = [
        "Host", "Cookie", "Content-Type", "Authorization", "Origin", "X-Forwarded-For",
        "X-Amzn-Trace-Id", "Access-Control-Request-Method", "Accept", "", "é", "X A", "x",
        "Content-Length", "Transfer-Encoding",
    ]
    private static let methods = ["GET", "POST", "OPTIONS", "", "get", "PUT", "é", "A B"]

    private static func template() -> JSON {
        let guardian: JSON = [
            "FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]],
            "AuthorizerPayloadFormatVersion": "2.0", "EnableSimpleResponses": true,
            "Identity": ["Headers": ["Authorization"], "ReauthorizeEvery": 60],
        ]
        let jwt: JSON = ["JwtConfiguration": ["issuer": "https://i.test", "audience": ["a"]]]
        return [
            "Resources": [
                "Api": [
                    "Type": "AWS::Serverless::HttpApi",
                    "Properties": [
                        "StageName": "prod", "CorsConfiguration": ["AllowOrigins": ["a", "b*"]],
                        "Auth": ["Authorizers": ["G": guardian, "J": jwt]],
                    ],
                ],
                "Rest": [
                    "Type": "AWS::Serverless::Api",
                    "Properties": [
                        "StageName": "prod", "Cors": "'*'", "BinaryMediaTypes": ["a/b"],
                    ],
                ],
                "Guard": SAMTemplates.function([:]),
                "F": SAMTemplates.function(
                    [
                        "A": SAMTemplates.httpEvent("GET", "/a/{x}", ["Auth": ["Authorizer": "G"]]),
                        "B": SAMTemplates.httpEvent(
                            "ANY", "/b/{p+}", ["Auth": ["Authorizer": "J"]]),
                        "C": SAMTemplates.httpEvent("POST", "/"),
                        "D": [
                            "Type": "Api",
                            "Properties": [
                                "RestApiId": ["Ref": "Rest"], "Path": "/x/{p+}", "Method": "ANY",
                            ],
                        ],
                    ],
                    ["FunctionUrlConfig": ["AuthType": "NONE", "Cors": ["AllowOrigins": ["*"]]]]),
            ]
        ]
    }

    @Test func `100,000 random requests get 100,000 responses`() throws {
        let harness = try GatewayHarness(Self.template(), keepsEvents: false)
        harness.reply("Guard", #"{"isAuthorized":true,"context":{"a":1}}"#)
        var dice = RandomRequest(state: 20_261_121)
        var statuses: [Int: Int] = [:]
        for _ in 0..<100_000 {
            let headers = (0..<dice.next(6)).map { _ in
                (Self.names[dice.next(Self.names.count)], dice.text(Self.alphabet, 8))
            }
            let prefix = ["", "/", "/prod/", "/prod/a/", "/prod/b/", "/prod/x/", "/_lambda-url/F/"]
            let sent = request(
                Self.methods[dice.next(Self.methods.count)],
                prefix[dice.next(prefix.count)] + dice.text(Self.alphabet, 12), headers,
                body: dice.text(Self.alphabet, 4).bytes)
            let answer = harness.start(sent)
            guard let response = answer.response, answer.count == 1,
                (200...499).contains(response.status)
            else {
                Issue.record("\(answer.count) answers to \(sent.method) \(sent.target)")
                continue
            }
            statuses[response.status, default: 0] += 1
        }
        #expect((statuses[200] ?? 0) > 1000)
        #expect((statuses[404] ?? 0) > 1000)
    }

    @Test func `random function results become valid responses`() throws {
        let http = try GatewayHarness(SAMTemplates.http(), keepsEvents: false)
        let rest = try GatewayHarness(SAMTemplates.rest(), keepsEvents: false)
        var dice = RandomRequest(state: 7)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"statusCode\"", "\"headers\"", "\"cookies\"",
            "\"multiValueHeaders\"", "\"body\"", "\"isBase64Encoded\"", "200", "\"200\"", "true",
            "null", "\"a\"", "\"\\r\\n\"", "-1", "1e9", "\"\\u0000\"", " ",
            "{\"statusCode\":200,", "\"x\":", "9999999999999999999",
        ]
        for _ in 0..<120_000 {
            let reply = dice.text(pieces, 12)
            http.reply("F", reply)
            rest.reply("F", reply)
            let statuses = [
                http.start(request("GET", "/")).response?.status,
                rest.start(request("GET", "/prod/a")).response?.status,
            ]
            guard [200, 500].contains(statuses[0]), [200, 502].contains(statuses[1]) else {
                Issue.record("\(statuses) for \(reply)")
                continue
            }
        }
    }

    @Test func `thousands of headers and parameters within the limit are passed on`() throws {
        let harness = try GatewayHarness(SAMTemplates.http())
        let headers = (0..<1200).map { ("h\($0)", "") }
        try expectEqual(harness.send("GET", "/", headers).status, 200)
        try expectEqual(harness.event()["headers"]?.objectValue?.count, 1204)
        let query = (0..<1800).map { "a\($0)" }.joined(separator: "&")
        try expectEqual(harness.send("GET", "/?\(query)").status, 200)
        try expectEqual(harness.event()["queryStringParameters"]?.objectValue?.count, 1800)
    }

    @Test func `a hostile wildcard does not take exponential time`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http(
                api: [
                    "Auth": [
                        "Authorizers": [
                            "G": [
                                "FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]],
                                "AuthorizerPayloadFormatVersion": "2.0",
                            ]
                        ], "DefaultAuthorizer": "G",
                    ]
                ], more: ["Guard": SAMTemplates.function([:])]))
        let stars = String(repeating: "*a", count: 2000)
        harness.reply(
            "Guard",
            #"{"principalId":"u","policyDocument":{"Statement":[{"Effect":"Allow","Action":"*","Resource":"\#(stars)b"}]}}"#
        )
        let path = "/" + String(repeating: "a", count: 9000)
        try expectEqual(harness.send("GET", path).status, 403)
    }
}
