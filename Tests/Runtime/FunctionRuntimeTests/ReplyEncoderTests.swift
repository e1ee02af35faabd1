private func encoded(_ reply: Reply, _ form: ReplyForm) -> String {
    String(decoding: ReplyEncoder.encode(reply, as: form), as: UTF8.self)
}

@Suite("ReplyEncoder") struct ReplyEncoderTests {
    private let reply = Reply(
        status: 201, headers: [("WWW-Authenticate", "Bearer")],
        cookies: ["a=1; HttpOnly", "b=2"], body: ["name": "é/\n"])

    @Test func `the reply to a direct invocation or a watchdog is only the body`() {
        expectEqual(encoded(reply, .bare), #"{"name":"é/\n"}"#)
        expectEqual(encoded(reply, .body), #"{"name":"é/\n"}"#)
        expectEqual(encoded(Reply(status: 204), .bare), "{}")
        expectEqual(encoded(Reply(status: 204), .body), "")
        expectEqual(encoded(Reply(status: 200, body: .null), .bare), "null")
    }

    @Test func `a reply's headers replace the defaults, and duplicates are joined`() throws {
        let reply = Reply(
            status: 200,
            headers: [
                ("Cache-Control", "public, max-age=300"), ("Vary", "Origin"), ("vary", "Accept"),
                ("Content-Type", "application/jwk-set+json"), ("Set-Cookie", "c=3"),
            ], cookies: ["a=1"], body: [:])
        let document = try JSON.parse(encoded(reply, .gatewayV2), limits: .response)
        expectEqual(
            document["headers"],
            [
                "content-type": "application/jwk-set+json", "cache-control": "public, max-age=300",
                "x-content-type-options": "nosniff", "vary": "Origin, Accept",
            ])
        expectEqual(document["cookies"], ["a=1", "c=3"])
    }

    @Test(
        arguments: [
            ("x-a", "1\r\nset-cookie: evil=1", "1set-cookie: evil=1"),
            ("x-a", "\u{0}a\tb\u{7F}", "ab"),
            ("x-a", "é\u{2028}x", "x"), ("x a", "1", nil), ("x-a:", "1", nil), ("", "1", nil),
            ("x\r\ny", "1", nil), ("é", "1", nil),
        ] as [(String, String, String?)])
    func `no header can inject another`(name: String, value: String, expected: String?) throws {
        let reply = Reply(status: 200, headers: [(name, value)], cookies: ["a=1\r\nx: y"])
        let document = try JSON.parse(encoded(reply, .gatewayV2), limits: .response)
        expectEqual(document["headers"]?["x-a"]?.stringValue, expected)
        expectEqual(document["headers"]?.objectValue?.count, expected == nil ? 2 : 3)
        expectEqual(document["cookies"], ["a=1x: y"])
    }

    @Test(arguments: [(200, 200), (599, 599), (0, 500), (199, 500), (600, 500), (-1, 500)])
    func `an invalid status becomes 500`(status: Int, expected: Int) throws {
        let document = try JSON.parse(encoded(Reply(status: status), .gatewayV2), limits: .response)
        expectEqual(document["statusCode"], .number(expected))
    }
}
