import Bytes
import Cryptography
import EmulatorIAM
import EmulatorS3
import HTTP
import TestSupport
import Testing
import XML

/// Amazon S3 User Guide, "Using cross-origin resource sharing (CORS)".
@Suite("S3CORS") struct CORSTests {
    private static let rules = """
        <CORSConfiguration><CORSRule><ID>app</ID><AllowedOrigin>https://*.example.com</AllowedOrigin>\
        <AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>\
        <AllowedHeader>x-amz-*</AllowedHeader><AllowedHeader>Content-Type</AllowedHeader>\
        <ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-request-id</ExposeHeader>\
        <MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule>\
        <CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>HEAD</AllowedMethod></CORSRule>\
        </CORSConfiguration>
        """

    private func put(_ harness: S3Harness, _ rules: String = rules) throws -> HTTPResponse {
        let body = Array(rules.utf8)
        return try harness.call(
            .put, "/photos?cors", headers: [("Content-MD5", Base64.encode(BrokenDigest.md5(body)))],
            body: body)
    }

    private func harness() throws -> S3Harness {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        return harness
    }

    private func ask(
        _ harness: S3Harness, _ headers: [(String, String)], _ target: String = "/photos/k",
        method: String = "OPTIONS"
    ) -> HTTPResponse {
        harness.service.answer(
            ServiceCall(
                method: method, target: target,
                headers: headers.map { HTTPHeader($0.0, $0.1) }, body: [],
                sourceAddress: "127.0.0.1"))
    }

    @Test func `a bucket's configuration is put, read and deleted`() throws {
        let harness = try harness()
        try harness.call(.get, "/photos?cors").expect(404, "NoSuchCORSConfiguration")
        try put(harness).expect(200)
        let read = try harness.call(.get, "/photos?cors").document()
        let rule = try #require(read.children.first)
        expectEqual(read.children.count, 2)
        expectEqual(rule["ID"]?.text, "app")
        expectEqual(rule["MaxAgeSeconds"]?.text, "3000")
        expectEqual(
            rule.children.filter { $0.name == "AllowedMethod" }.map(\.text), ["GET", "PUT"])
        try harness.call(.delete, "/photos?cors").expect(204)
        try harness.call(.get, "/photos?cors").expect(404, "NoSuchCORSConfiguration")
        try put(harness).expect(200)
        _ = try harness.call(.delete, "/photos")
        _ = try harness.call(.put, "/photos")
        try harness.call(.get, "/photos?cors").expect(404, "NoSuchCORSConfiguration")
    }

    @Test(arguments: [
        ("<CORSConfiguration/>", "MalformedXML"), ("", "MalformedXML"),
        (rules.replacing("<AllowedMethod>HEAD</AllowedMethod>", with: ""), "MalformedXML"),
        (rules.replacing("HEAD", with: "PATCH"), "InvalidRequest"),
        (rules.replacing("https://*.", with: "*://*."), "InvalidRequest"),
        (rules.replacing("x-amz-*", with: "*-amz-*"), "InvalidRequest"),
        (rules.replacing(">ETag<", with: ">x-*<"), "InvalidRequest"),
        (rules.replacing("3000", with: "soon"), "MalformedXML"),
    ])
    func `an invalid configuration is refused`(rules: String, code: String) throws {
        let harness = try harness()
        try put(harness, rules).expect(400, code)
        try harness.call(.get, "/photos?cors").expect(404, "NoSuchCORSConfiguration")
    }

    @Test func `a configuration needs a digest`() throws {
        try harness().call(.put, "/photos?cors", body: Array(Self.rules.utf8))
            .expect(400, "InvalidRequest")
    }

    @Test func `a preflight is answered before authentication`() throws {
        let harness = try harness()
        try put(harness).expect(200)
        let answer = ask(
            harness,
            [
                ("Origin", "https://app.example.com"), ("Access-Control-Request-Method", "PUT"),
                ("Access-Control-Request-Headers", "X-Amz-Date, content-type"),
            ])
        try answer.expect(200)
        let expected = [
            "access-control-allow-origin": "https://app.example.com",
            "access-control-allow-methods": "GET, PUT",
            "access-control-allow-headers": "x-amz-date, content-type",
            "access-control-expose-headers": "ETag, x-amz-request-id",
            "access-control-max-age": "3000", "access-control-allow-credentials": "true",
            "vary": "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
        ]
        for (name, value) in expected { expectEqual(answer.header(name), value) }
        let open = ask(
            harness,
            [("Origin", "https://other.test"), ("Access-Control-Request-Method", "HEAD")])
        expectEqual(open.header("access-control-allow-origin"), "*")
        expectEqual(open.header("access-control-allow-credentials"), nil)
    }

    @Test(
        arguments: [
            ([], 400, "BadRequest", "Insufficient information. Origin request header needed."),
            (
                [("Origin", "https://app.example.com")], 400, "BadRequest",
                "Invalid Access-Control-Request-Method: null"
            ),
            (
                [("Origin", "https://example.com"), ("Access-Control-Request-Method", "PUT")], 403,
                "AccessForbidden", "CORSResponse: This CORS request is not allowed."
            ),
            (
                [
                    ("Origin", "https://app.example.com"),
                    ("Access-Control-Request-Method", "DELETE"),
                ],
                403, "AccessForbidden", "CORSResponse: This CORS request is not allowed."
            ),
            (
                [
                    ("Origin", "https://app.example.com"), ("Access-Control-Request-Method", "PUT"),
                    ("Access-Control-Request-Headers", "x-amz-date,authorization"),
                ], 403, "AccessForbidden", "CORSResponse: This CORS request is not allowed."
            ),
        ] as [([(String, String)], Int, String, String)])
    func `a preflight that no rule allows is refused`(
        headers: [(String, String)], status: Int, code: String, message: String
    ) throws {
        let harness = try harness()
        try put(harness).expect(200)
        let answer = ask(harness, headers)
        try answer.expect(status, code)
        let document = try answer.document()
        expectEqual(document["Message"]?.text.hasPrefix(message), true)
        expectEqual(answer.header("access-control-allow-origin"), nil)
        guard status == 403 else { return }
        expectEqual(document["ResourceType"]?.text, "OBJECT")
    }

    @Test func `a preflight for a bucket without rules says so`() throws {
        let harness = try harness()
        let headers = [("Origin", "https://a.test"), ("Access-Control-Request-Method", "PUT")]
        for (target, reason) in [
            ("/photos", "CORS is not enabled for this bucket."), ("/gone/k", "Bucket not found"),
        ] {
            let answer = ask(harness, headers, target)
            try answer.expect(403, "AccessForbidden")
            let document = try answer.document()
            expectEqual(document["Message"]?.text, "CORSResponse: \(reason)")
            expectEqual(document["Method"]?.text, "PUT")
            expectEqual(document["ResourceType"]?.text, "BUCKET")
        }
    }

    @Test func `responses and errors get the headers, also for unsigned requests`() throws {
        let harness = try harness()
        try put(harness).expect(200)
        try harness.put("/photos/k", "x")
        let origin = ("Origin", "https://app.example.com")
        let name = "access-control-allow-origin"
        for target in ["/photos/k", "/photos/none", "/photos"] {
            let answer = try harness.call(.get, target, headers: [origin])
            expectEqual(answer.header(name), "https://app.example.com")
            expectEqual(answer.header("access-control-expose-headers"), "ETag, x-amz-request-id")
            try expectEqual(harness.call(.get, target).header(name), nil)
        }
        let refused = ask(harness, [origin], method: "GET")
        try refused.expect(403, "AccessDenied")
        expectEqual(refused.header(name), "https://app.example.com")
        // No rule allows DELETE: the request is answered, and the browser hides the response.
        let deleted = try harness.call(.delete, "/photos/k", headers: [origin])
        try deleted.expect(204)
        expectEqual(deleted.header(name), nil)
    }
}
