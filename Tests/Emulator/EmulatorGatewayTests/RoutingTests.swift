import BaseTestSupport
import EmulatorBase
import EmulatorGateway

@Suite("Routing") struct RoutingTests {
    private static let routes: [(String?, String?)] = [
        (nil, nil), ("ANY", "/{proxy+}"), ("GET", "/pets/{proxy+}"), ("GET", "/pets/dog/{id}"),
        ("GET", "/pets/dog/1"), ("ANY", "/pets/dog/1"), ("POST", "/pets/{kind}/{id}"),
        ("GET", "/{a}/dog/{c}"), ("GET", "/"), ("ANY", "/only/{x}"), ("GET", "/only/{x}"),
    ]

    @Test(arguments: [
        ("GET", "/pets/dog/1", "GET /pets/dog/1"), ("PUT", "/pets/dog/1", "ANY /pets/dog/1"),
        ("GET", "/pets/dog/2", "GET /pets/dog/{id}"), ("GET", "/pets/cat/2", "GET /pets/{proxy+}"),
        ("POST", "/pets/dog/2", "POST /pets/{kind}/{id}"),
        ("GET", "/cats/dog/2", "GET /{a}/dog/{c}"), ("GET", "/x/y", "ANY /{proxy+}"),
        ("DELETE", "/pets", "ANY /{proxy+}"), ("GET", "/", "GET /"), ("POST", "/", "$default"),
        ("GET", "/only/1", "GET /only/{x}"), ("PUT", "/only/1", "ANY /only/{x}"),
        ("GET", "/only/", "ANY /{proxy+}"), ("GET", "/pets/", "ANY /{proxy+}"),
        ("GET", "/pets/dog/1/", "GET /pets/{proxy+}"), ("GET", "//", "ANY /{proxy+}"),
        ("GET", "/pets/dog%2F1", "GET /pets/{proxy+}"), ("GET", "/p%65ts/dog/1", "GET /pets/dog/1"),
        ("get", "/pets/dog/2", "ANY /{proxy+}"),
        ("GET", "http://h.test/pets/dog/1?a", "GET /pets/dog/1"),
        ("GET", "http://h.test", "GET /"), ("GET", "*", "ANY /{proxy+}"), ("GET", "?a", "GET /"),
        ("GET", "", "GET /"),
    ])
    func `the most specific route of an HTTP API is chosen`(
        method: String, target: String, key: String
    ) throws {
        let harness = try GatewayHarness(SAMTemplates.http(Self.routes))
        try harness.send(method, target)
        try expectEqual(harness.event()["routeKey"], .string(key))
        let reversed = try GatewayHarness(SAMTemplates.http(Self.routes.reversed()))
        try reversed.send(method, target)
        try expectEqual(reversed.event()["routeKey"], .string(key))
    }

    @Test(arguments: ["/a", "/a/"])
    func `a route of a REST API that ends in a slash is its resource`(path: String) throws {
        let harness = try GatewayHarness(SAMTemplates.rest([("GET", "/a/"), ("GET", "/{b}/c/")]))
        try harness.send("GET", "/prod\(path)")
        try expectEqual(harness.event()["resource"], "/a")
        try harness.send("GET", "/prod/x/c")
        try expectEqual(harness.event()["resource"], "/{b}/c")
    }

    @Test(
        arguments: [
            ("GET", "/pets/dog", "/pets/dog"), ("GET", "/pets/cat", "/pets/{id}"),
            ("GET", "/pets/dog/", "/pets/dog"), ("GET", "/pets/a/b", "/pets/{proxy+}"),
            ("POST", "/pets/dog", nil), ("POST", "/pets/a/b", nil), ("GET", "/other", nil),
            ("PUT", "/any", "/any"), ("GET", "/", nil),
        ] as [(String, String, String?)])
    func `a REST API selects the resource first`(
        method: String, path: String, resource: String?
    ) throws {
        let harness = try GatewayHarness(
            SAMTemplates.rest([
                ("GET", "/pets/dog"), ("GET", "/pets/{id}"), ("GET", "/pets/{proxy+}"),
                ("ANY", "/any"), ("GET", "/any"), ("DELETE", "/pets/{id}"),
            ]))
        let response = try harness.send(method, "/prod\(path)")
        if let resource {
            try expectEqual(harness.event()["resource"], .string(resource))
        } else {
            expectEqual(response.status, 403)
            #expect(harness.calls.isEmpty)
        }
    }

    @Test(arguments: [
        "", "a", "a/b", "/a/{b", "/a/b}", "/a/x{b}", "/a/{b}x", "/{p+}/a", "/{}", "/{+}",
        "/{a}/{a}",
        "/{a b}", "/a/{b{c}}",
    ])
    func `path parameters are whole segments`(path: String) {
        expectEqual(PathPattern(parsing: path), nil)
    }

    @Test func `a stage is a complete segment`() throws {
        let harness = try GatewayHarness(
            SAMTemplates.http([("GET", "/a"), ("GET", "/prod/b")], api: ["StageName": "prod"]))
        for (path, raw) in [
            ("/prod/a", "/prod/a"), ("/a", "/prod/a"), ("/prod/prod/b", "/prod/prod/b"),
            ("/prod/b", "/prod/prod/b"),
        ] {
            try expectEqual(harness.send("GET", path).status, 200)
            try expectEqual(harness.event()["rawPath"], .string(raw))
        }
        try expectEqual(harness.send("GET", "/production/a").status, 404)
    }
}
