import BaseTestSupport
import EmulatorBase
import EmulatorGateway

/// Several APIs have one table of routes; each keeps its own settings.
@Suite("Several APIs") struct SeveralAPITests {
    /// `One` begins with routes for every path, `Two` has the more specific ones.
    private static func template(two: JSONObject = [:], one: JSONObject = [:]) -> JSON {
        func event(_ api: String, _ method: String?, _ path: String?) -> JSON {
            var properties: JSONObject = ["ApiId": ["Ref": .string(api)]]
            if let method { properties["Method"] = .string(method) }
            if let path { properties["Path"] = .string(path) }
            return ["Type": "HttpApi", "Properties": .object(properties)]
        }
        func function(_ events: JSONObject) -> JSON {
            [
                "Type": "AWS::Serverless::Function",
                "Properties": [
                    "CodeUri": "code/", "Handler": "bootstrap", "Runtime": "provided.al2023",
                    "Events": .object(events),
                ],
            ]
        }
        return [
            "Transform": "AWS::Serverless-2016-10-31",
            "Resources": [
                "One": ["Type": "AWS::Serverless::HttpApi", "Properties": .object(one)],
                "Two": ["Type": "AWS::Serverless::HttpApi", "Properties": .object(two)],
                "First": function([
                    "Any": event("One", nil, nil), "Items": event("One", "GET", "/{kind}/{id}"),
                    "Same": event("One", "GET", "/same/{id}"),
                ]),
                "Second": function([
                    "Item": event("Two", "GET", "/items/{id}"),
                    "Add": event("Two", "POST", "/items"),
                    "Same": event("Two", "GET", "/same/{name}"),
                ]),
            ],
        ]
    }

    @Test(arguments: [
        ("GET", "/items/1", "Second"), ("POST", "/items", "Second"), ("GET", "/pets/1", "First"),
        ("PUT", "/items", "First"), ("GET", "/", "First"), ("GET", "/same/1", "First"),
        ("GET", "/_api/Two/same/1", "Second"),
    ])
    func `the most specific route of all APIs is served`(
        method: String, path: String, function: String
    ) throws {
        let harness = try GatewayHarness(Self.template())
        try expectEqual(harness.send(method, path).status, 200)
        expectEqual(harness.calls.map(\.function), [function])
    }

    @Test func `the API that has the requested route answers the preflight`() throws {
        let cors: JSONObject = [
            "CorsConfiguration": ["AllowOrigins": ["https://app.test"], "AllowMethods": ["POST"]]
        ]
        let harness = try GatewayHarness(Self.template(two: cors))
        func preflight(_ method: String, _ path: String) throws -> ServerResponse {
            try harness.send(
                "OPTIONS", path,
                [("Origin", "https://app.test"), ("Access-Control-Request-Method", method)])
        }
        let own = try preflight("POST", "/items")
        expectEqual(own.status, 204)
        expectEqual(own.header("access-control-allow-origin"), "https://app.test")
        #expect(harness.calls.isEmpty)
        // The other API has no rules: its function gets the request.
        try expectEqual(preflight("PUT", "/items").status, 200)
        expectEqual(harness.calls.map(\.function), ["First"])
    }

    @Test func `each API throttles its own routes`() throws {
        let closed: JSONObject = [
            "DefaultRouteSettings": ["ThrottlingBurstLimit": 0, "ThrottlingRateLimit": 0]
        ]
        let harness = try GatewayHarness(Self.template(two: closed))
        try expectEqual(harness.send("POST", "/items").status, 429)
        try expectEqual(harness.send("PUT", "/items").status, 200)
    }

    @Test func `a route is hidden by an equal one of an earlier API`() throws {
        let template = try Template(parsing: Self.template().serialized)
        let hidden = template.routes.filter { $0.hidden != nil }
        expectEqual(hidden.map(\.route.key), ["GET /same/{name}"])
        expectEqual(hidden.first?.hidden?.key, "GET /same/{id}")
        expectEqual(hidden.first?.route.path, "Resources.Second.Properties.Events.Same.Properties")
    }
}
