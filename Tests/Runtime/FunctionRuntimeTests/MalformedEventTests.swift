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
            ("{\"httpMethod\":\"GET\",\"resource\":\"/\",\"path\":7}", .wrongType(field: "path")),
        ] as [(String, EventFailure)])
    func `a malformed event is refused with the reason`(text: String, failure: EventFailure) {
        #expect(throws: failure) {
            _ = try EventDecoder().decode(Array(text.utf8), in: sampleContext)
        }
    }

    @Test(
        arguments: [
            ("headers", [], "headers"), ("headers", ["a": 1], "headers"),
            ("cookies", "a=b", "cookies"), ("cookies", [1], "cookies"), ("body", [:], "body"),
            ("isBase64Encoded", "true", "isBase64Encoded"), ("rawQueryString", 1, "rawQueryString"),
            ("requestContext", ["http": "x"], "http"),
            ("requestContext", ["http": ["method": 1]], "method"),
            ("requestContext", ["http": ["method": "GET"], "stage": 1], "stage"),
        ] as [(String, JSON, String)])
    func `a part of the wrong type is refused`(name: String, value: JSON, field: String) {
        #expect(throws: EventFailure.wrongType(field: field)) {
            _ = try decoded(gatewayEvent { $0[name] = value })
        }
    }
}
