import BaseTestSupport
import EmulatorGateway
import FunctionRuntime

/// Latchkey's functions decode the gateway's events to the same request, in all three formats.
@Suite("RoundTrip") struct RoundTripTests {
    private static let forms: [(JSON, String)] = [
        (SAMTemplates.http([("ANY", "/{proxy+}")], api: ["StageName": "prod"]), "/prod"),
        (SAMTemplates.http(), ""), (SAMTemplates.rest(), "/prod"),
        (SAMTemplates.url(), "/_lambda-url/F"),
    ]

    @Test(arguments: forms.indices)
    func `a request arrives unchanged`(form: Int) throws {
        let (template, prefix) = Self.forms[form]
        let harness = try GatewayHarness(template)
        try harness.send(
            "POST", "\(prefix)/a%20b/%E2%82%AC?x=1&x=2&y=%26+z",
            [
                ("Content-Type", "application/json"), ("X-Many", "1"), ("x-many", "2"),
                ("Cookie", "sid=abc; theme=dark"), ("User-Agent", "t"),
            ], body: "{\"a\":\"é\"}".bytes)
        let event = try harness.event()
        let (read, _) = try EventDecoder().decode(
            event.serialized,
            in: InvocationContext(requestID: "id", deadline: Instant(milliseconds: 0)))
        expectEqual(read.method, "POST")
        expectEqual(read.path, "/a b/€")
        expectEqual(read.header("x-many"), "1,2")
        expectEqual(read.cookie("sid"), "abc")
        expectEqual(read.cookie("theme"), "dark")
        expectEqual(read.query.map(\.name), ["x", "x", "y"])
        expectEqual(read.query.map(\.value), ["1", "2", "& z"])
        expectEqual(read.body, "{\"a\":\"é\"}".bytes)
        expectEqual(read.sourceAddress, "203.0.113.9")
        expectEqual(read.userAgent, "t")
        expectEqual(read.defect, nil)
    }

    @Test(arguments: forms.indices)
    func `a percent sign is preserved`(form: Int) throws {
        let (template, prefix) = Self.forms[form]
        let harness = try GatewayHarness(template)
        try harness.send("GET", "\(prefix)/100%25/x")
        let (read, _) = try EventDecoder().decode(
            try harness.event().serialized,
            in: InvocationContext(requestID: "id", deadline: Instant(milliseconds: 0)))
        expectEqual(read.path, "/100%/x")
    }
}
