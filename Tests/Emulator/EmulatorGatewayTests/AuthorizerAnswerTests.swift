import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// The response to a caller whom an authorizer refuses: status, body, and all headers except the
/// request IDs.
@Suite("AuthorizerAnswers") struct AuthorizerAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: Kind
        var headers: [(String, String)] = []
        var reply: InvocationOutcome?
        let status: Int
        let body: String
        var answered: [String: String]
    }

    enum Kind: Sendable { case jwt, http, httpPolicy, iam, restToken, restRequest, url }

    private static let token = [("Authorization", "Bearer t")]
    private static let json = ["content-type": "application/json"]
    private static let unauthorized = #"{"message":"Unauthorized"}"#
    private static let forbidden = #"{"message":"Forbidden"}"#

    private static func rest(_ type: String) -> [String: String] {
        json.merging(["x-amzn-errortype": type]) { $1 }
    }

    private static func policy(_ effect: String) -> InvocationOutcome {
        .returned(
            #"{"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"execute-api:Invoke","Effect":"\#(effect)","Resource":"arn:*"}]}}"#
                .bytes)
    }

    static let cases = [
        Case(
            testDescription: "an HTTP API's JWT authorizer, without a token", kind: .jwt,
            status: 401, body: unauthorized, answered: ["www-authenticate": "Bearer"]),
        Case(
            testDescription: "an HTTP API's JWT authorizer, with a malformed token", kind: .jwt,
            headers: token, status: 401, body: unauthorized,
            answered: [
                "www-authenticate":
                    #"Bearer scope="" error="invalid_token" "#
                    + #"error_description="the token is malformed""#
            ]),
        Case(
            testDescription: "an HTTP API's Lambda authorizer, without its identity source",
            kind: .http, status: 401, body: unauthorized, answered: json),
        Case(
            testDescription: "an HTTP API's Lambda authorizer that says no", kind: .http,
            headers: token, reply: .returned(#"{"isAuthorized":false}"#.bytes), status: 403,
            body: forbidden, answered: json),
        Case(
            testDescription: "an HTTP API's Lambda authorizer that fails with Unauthorized",
            kind: .http, headers: token,
            reply: .failed(#"{"errorMessage":"Unauthorized"}"#.bytes), status: 500,
            body: #"{"message":"Internal Server Error"}"#, answered: json),
        Case(
            testDescription: "an HTTP API's Lambda authorizer whose policy denies",
            kind: .httpPolicy, headers: token, reply: policy("Deny"), status: 403, body: forbidden,
            answered: json),
        Case(
            testDescription: "an HTTP API's route for signed requests", kind: .iam, status: 403,
            body: forbidden, answered: json),
        Case(
            testDescription: "a REST API's TOKEN authorizer, without a token", kind: .restToken,
            status: 401, body: unauthorized, answered: rest("UnauthorizedException")),
        Case(
            testDescription: "a REST API's REQUEST authorizer, without its identity source",
            kind: .restRequest, status: 401, body: unauthorized,
            answered: rest("UnauthorizedException")),
        Case(
            testDescription: "a REST API's authorizer that fails with Unauthorized",
            kind: .restToken, headers: token,
            reply: .failed(#"{"errorMessage":"Unauthorized"}"#.bytes), status: 401,
            body: unauthorized, answered: rest("UnauthorizedException")),
        Case(
            testDescription: "a REST API's authorizer that denies", kind: .restToken,
            headers: token, reply: policy("Deny"), status: 403,
            body: #"{"Message":"User is not authorized to access this resource "#
                + #"with an explicit deny"}"#,
            answered: rest("AccessDeniedException")),
        Case(
            testDescription: "a REST API's authorizer that allows nothing", kind: .restRequest,
            headers: token,
            reply: .returned(#"{"principalId":"u","policyDocument":{"Statement":[]}}"#.bytes),
            status: 403, body: #"{"Message":"User is not authorized to access this resource"}"#,
            answered: rest("AccessDeniedException")),
        Case(
            testDescription: "a Function URL for signed requests", kind: .url, status: 403,
            body: #"{"Message":"Forbidden. For troubleshooting Function URL authorization issues, "#
                + #"see: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html"}"#,
            answered: rest("AccessDeniedException")),
    ]

    @Test(arguments: cases) func `a refusal equals the service's response`(refusal: Case) throws {
        let harness = try GatewayHarness(Self.template(refusal.kind))
        if let reply = refusal.reply { harness.reply("Guard", reply) }
        let target =
            switch refusal.kind {
            case .restToken, .restRequest: "/prod/me"
            case .url: "/_lambda-url/F/"
            case .jwt, .http, .httpPolicy, .iam: "/me"
            }
        let response = try harness.send("GET", target, refusal.headers)
        expectEqual(response.status, refusal.status)
        expectEqual(response.text, refusal.body)
        let ids = ["apigw-requestid", "x-amzn-requestid", "x-amz-apigw-id", "x-amzn-trace-id"]
        var answered: [String: String] = [:]
        for header in response.headers where !ids.contains(header.name.lowercased()) {
            answered[header.name.lowercased()] = header.value
        }
        expectEqual(answered, refusal.answered)
        #expect(!harness.calls.contains { $0.function == "F" })
    }

    private static func template(_ kind: Kind) -> JSON {
        let function: JSONObject = ["FunctionArn": ["Fn::GetAtt": ["Guard", "Arn"]]]
        func lambda(_ more: JSONObject) -> JSONObject {
            var authorizer = function
            for (name, value) in more.members { authorizer[name] = value }
            return [
                "Auth": ["Authorizers": ["G": .object(authorizer)], "DefaultAuthorizer": "G"]
            ]
        }
        func http(isSimple: Bool) -> JSONObject {
            lambda([
                "AuthorizerPayloadFormatVersion": "2.0", "EnableSimpleResponses": .bool(isSimple),
                "Identity": ["Headers": ["Authorization"], "ReauthorizeEvery": 0],
            ])
        }
        let guardFunction: JSONObject = ["Guard": SAMTemplates.function([:])]
        let route = [("GET", "/me")]
        switch kind {
        case .jwt:
            return SAMTemplates.http(
                route,
                api: [
                    "Auth": [
                        "Authorizers": [
                            "G": [
                                "JwtConfiguration": [
                                    "issuer": "https://issuer.test", "audience": ["app"],
                                ], "IdentitySource": "$request.header.Authorization",
                            ]
                        ], "DefaultAuthorizer": "G",
                    ]
                ])
        case .http: return SAMTemplates.http(route, api: http(isSimple: true), more: guardFunction)
        case .httpPolicy:
            return SAMTemplates.http(route, api: http(isSimple: false), more: guardFunction)
        case .iam:
            return SAMTemplates.http(route, event: ["Auth": ["Authorizer": "AWS_IAM"]])
        case .restToken: return SAMTemplates.rest(route, api: lambda([:]), more: guardFunction)
        case .restRequest:
            return SAMTemplates.rest(
                route,
                api: lambda([
                    "FunctionPayloadType": "REQUEST", "Identity": ["Headers": ["Authorization"]],
                ]), more: guardFunction)
        case .url: return SAMTemplates.url(["AuthType": "AWS_IAM"])
        }
    }
}
