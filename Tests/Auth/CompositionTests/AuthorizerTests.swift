import AuthComposition
import BaseTestSupport
import Contracts
import FunctionRuntime

/// The format of the authorizer's response. Which callers are accepted is tested with `Authorize`.
@Suite("GatewayAuthorizer") struct AuthorizerTests {
    let deployment: TestDeployment

    init() throws { deployment = try TestDeployment() }

    private func answer(_ event: JSON, _ settings: [String: String] = [:]) throws -> JSON {
        let handler = try LatchkeyFunction.authorizerHandler(
            deployment.assembly(settings.merging(["STORE": "memory:"]) { one, _ in one }),
            deployment.log)
        guard case .event(let decide) = handler.kind else { return .null }
        return try decide(event, InvocationContext(requestID: "1"))
    }

    static let http: JSON = [
        "version": "2.0", "type": "REQUEST", "headers": [:],
        "routeArn": "arn:aws:execute-api:eu-central-1:123456789012:api/prod/GET/me",
    ]
    static let rest: JSON = [
        "type": "TOKEN", "authorizationToken": "Bearer junk",
        "methodArn": "arn:aws:execute-api:eu-central-1:123456789012:api/prod/GET/me",
    ]

    @Test func `without a bearer token, the header is refused even in optional mode`()
        throws
    {
        for header in ["Basic YTpi", "Bearer", "Bearer ", "junk", "Bearer a b", ""] {
            var event = Self.http.objectValue ?? JSONObject()
            event["headers"] = ["authorization": .string(header)]
            let decided = try answer(.object(event), ["AUTHORIZER_MODE": "optional"])
            expectEqual(decided, ["isAuthorized": false], "\(header)")
        }
    }

    static let strange: [JSON] = [
        [:], ["version": "1.0"], ["version": 2.asJSON], ["methodArn": 5], [], "x", .null,
        ["methodArn": "", "headers": [:]], ["methodArn": "arn:x"], ["methodArn": "arn:a/b"],
        ["methodArn": "x/y/z", "headers": 5],
    ]

    @Test func `an invalid event fails the invocation`() {
        for event in Self.strange {
            #expect(throws: FunctionError.self, "\(event)") {
                try answer(event, ["AUTHORIZER_MODE": "optional"])
            }
        }
    }

    @Test func `a token in an unexpected place or format is refused`() throws {
        let headers: [JSON] = [
            ["authorization": "junk"], ["Authorization": "Bearer junk"], ["AUTHORIZATION": ""],
            ["authorization": 5], ["authorization": .null], ["cookie": "authorization=Bearer x"],
            [],
        ]
        for value in headers {
            var event = Self.http.objectValue ?? JSONObject()
            event["headers"] = value
            try expectEqual(answer(.object(event)), ["isAuthorized": false])
        }
    }
}

extension Int {
    fileprivate var asJSON: JSON { .number(JSONNumber(self)) }
}
