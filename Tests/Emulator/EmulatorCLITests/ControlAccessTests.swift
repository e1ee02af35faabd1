import BaseTestSupport

/// A page that a function or an object serves has the origin of the app or of the AWS endpoint. It
/// must not use the controls there, nor on their own port.
@Suite("Web pages and the controls", .serialized, .hangLimit)
struct ControlAccessTests {
    struct Call: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        var body = ""

        var testDescription: String { "\(method) \(path)" }
    }

    private static let calls = [
        Call(method: .get, path: "/_emulator/clock"),
        Call(method: .post, path: "/_emulator/clock", body: #"{"seconds":60}"#),
        Call(method: .get, path: "/_emulator/mail"),
        Call(method: .get, path: "/_emulator/mail/latest/link"),
        Call(method: .delete, path: "/_emulator/mail"),
        Call(method: .put, path: "/_emulator/mail/faults/throttled"),
        Call(method: .get, path: "/_emulator/faults"),
        Call(
            method: .post, path: "/_emulator/faults",
            body: #"{"match":{"service":"s3"},"effect":"hang"}"#),
        Call(method: .get, path: "/_emulator/state"),
        Call(method: .get, path: "/_emulator/tables"),
        Call(method: .post, path: "/_emulator/tokens/explain", body: #"{"token":"x"}"#),
        Call(method: .get, path: "/_emulator"),
        Call(method: .post, path: "/_idp/apple/mint", body: "{}"),
        Call(method: .post, path: "/_idp/apple/%6Dint", body: "{}"),
        Call(method: .get, path: "/_idp/google/accounts"),
        Call(method: .get, path: "/_idp/google/clients"),
        Call(method: .put, path: "/_idp/google/clients/x", body: "{}"),
        Call(method: .get, path: "/_idp/apple/notifications"),
        Call(method: .post, path: "/_idp/apple/notify", body: "{}"),
        Call(method: .put, path: "/_idp/apple/faults", body: #"{"name":"expired"}"#),
        Call(method: .delete, path: "/_idp/apple/faults/expired"),
    ]

    /// The headers that a browser adds to a script's request.
    private static func script(_ site: String, _ more: [(String, String)] = []) -> [(
        String, String
    )] {
        [
            ("Content-Type", "application/json"), ("Sec-Fetch-Site", site),
            ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"),
        ] + more
    }

    /// The headers that a browser sends when it opens a page.
    private static func visit(_ site: String, dest: String = "document") -> [(String, String)] {
        [
            ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", dest),
            ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
        ]
    }

    @Test(arguments: calls)
    func `a page served by a function may not use the controls on the app's port`(call: Call) throws
    {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let origin = ("Origin", emulator.appURL)
        for headers in [
            Self.script("same-origin"), Self.script("same-origin", [origin]),
            Self.script("same-site"), Self.script("cross-site"), Self.script("SAME-ORIGIN"),
            // Browsers send no fetch metadata to plain HTTP that is not local.
            [("Content-Type", "application/json"), origin],
        ] {
            let answer = try caller.app(call.method, call.path, call.body, headers: headers)
            expectEqual(answer.status, 403, "\(headers)")
            #expect(answer.text.contains("\(emulator.controlURL)/_emulator/"), "\(answer.text)")
        }
        let program = try caller.app(call.method, call.path, call.body)
        #expect(![403, 415, 307].contains(program.status), "\(program.text)")
        _ = try caller.app(.post, "/_emulator/clock", #"{"reset":true}"#)
        _ = try caller.app(.delete, "/_emulator/faults")
    }

    @Test func `an object opened as a page may not use the controls on the AWS port`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        for call in [
            Call(method: .get, path: "/_emulator/health"),
            Call(method: .get, path: "/_emulator/state"),
            Call(method: .post, path: "/_emulator/clock", body: #"{"seconds":60}"#),
        ] {
            for site in ["same-origin", "same-site", "cross-site"] {
                let answer = try caller.aws(
                    call.method, call.path, Array(call.body.utf8), headers: Self.script(site))
                expectEqual(answer.status, 403, "\(call.path) \(site)")
                #expect(answer.text.contains("\(emulator.controlURL)/_emulator/"))
            }
        }
        try expectEqual(caller.app(.get, "/_emulator/clock").json?["aheadSeconds"]?.int64Value, 0)
    }

    /// Otherwise such a page could read secrets and tables without a key.
    @Test func `a page served by a function or S3 must sign its AWS requests`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let rows: [([(String, String)], Bool)] = [
            (Self.script("same-origin"), false), ([("Origin", emulator.awsURL)], false),
            (Self.script("same-site", [("Origin", emulator.appURL)]), false),
            ([("Origin", "http://localhost:\(emulator.appPort)")], false),
            (Self.script("cross-site", [("Origin", "http://localhost:3000")]), true), ([], true),
        ]
        for (headers, isAdmitted) in rows {
            let type = ("Content-Type", "application/x-amz-json-1.0")
            let sent = headers.filter { $0.0 != "Content-Type" } + [type]
            let statuses = try [
                "DynamoDB_20120810.ListTables", "secretsmanager.ListSecrets",
            ].map { target in
                try caller.aws(
                    .post, "/", Array("{}".utf8), headers: sent + [("X-Amz-Target", target)]
                ).status
            }
            let functions = try caller.aws(.get, "/2015-03-31/functions/", headers: headers).status
            expectEqual(
                statuses + [functions], isAdmitted ? [200, 200, 200] : [400, 403, 403],
                "\(headers)")
        }
    }

    @Test func `the endpoints that sign-in needs are open to pages`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        let authorize =
            "/_idp/google/o/oauth2/v2/auth?client_id=a&redirect_uri=http://127.0.0.1:3000/back"
            + "&response_type=code&scope=openid&latchkey_account=ada@example.com"
        for site in ["same-origin", "same-site", "cross-site"] {
            for path in [
                "/_idp/google/.well-known/openid-configuration", "/_idp/google/oauth2/v3/certs",
            ] {
                let answer = try caller.app(
                    .get, path, headers: Self.script(site, [("Origin", "http://localhost:3000")]))
                expectEqual(answer.status, 200)
                expectEqual(answer.header("access-control-allow-origin"), "*")
            }
            let page = try caller.app(.get, authorize, headers: Self.visit(site))
            #expect([200, 302, 303].contains(page.status), "\(page.text)")
            for path in ["/_idp/google/decision", "/_idp/google/token"] {
                let answer = try caller.app(
                    .post, path, "a=b",
                    headers: [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "null"),
                        ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"),
                    ])
                #expect((400...401).contains(answer.status), "\(path) \(answer.text)")
            }
        }
    }
}

// The control port.
extension ControlAccessTests {
    @Test func `a visit by a browser is redirected to the control port`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let paths = ["/_emulator/mail?to=a@b.c&x=%2F", "/_emulator/", "/_emulator", "/_emulator/x"]
        for path in paths {
            for headers in [
                Self.visit("none"), Self.visit("same-origin"), Self.visit("cross-site"),
                [("Accept", "text/html"), ("Sec-Fetch-Site", "none")], [("Accept", "text/html")],
            ] {
                let answer = try caller.app(.get, path, headers: headers)
                expectEqual(answer.status, 307, "\(path) \(headers)")
                expectEqual(answer.header("location"), emulator.controlURL + path)
                expectEqual(answer.header("cache-control"), "no-store")
                #expect(answer.body.isEmpty)
            }
        }
        let root = try caller.app(.get, "/", headers: Self.visit("none"))
        expectEqual(root.header("location"), "\(emulator.controlURL)/")
        let aws = try caller.aws(.get, "/_emulator/health", headers: Self.visit("none"))
        expectEqual(aws.header("location"), "\(emulator.controlURL)/_emulator/health")
        let named = try caller.app(
            .get, "/_emulator/mail", headers: [("Host", "localhost:8000")] + Self.visit("none"))
        expectEqual(
            named.header("location"), "http://localhost:\(emulator.controlPort)/_emulator/mail")
        // A form would be posted again at the redirect target.
        let form = try caller.app(.post, "/_emulator/mail", headers: Self.visit("none"))
        #expect(form.status != 307)
        let rebound = try caller.app(
            .get, "/_emulator/mail", headers: [("Host", "evil.example")] + Self.visit("none"))
        expectEqual(rebound.status, 403)
    }

    @Test func `only pages of the control port may send requests to it`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let own = ("Origin", emulator.controlURL)
        let rows: [([(String, String)], Bool)] = [
            (Self.script("same-origin"), true), (Self.script("same-origin", [own]), true),
            (Self.script("none"), true), ([own], true), (Self.visit("none"), true),
            (Self.visit("same-origin"), true), (Self.visit("same-origin", dest: "iframe"), true),
            // A separate tab, which the page that opened it cannot read.
            (Self.visit("same-site"), true), (Self.visit("cross-site"), true),
            (Self.visit("same-site", dest: "iframe"), false),
            (Self.visit("cross-site", dest: "object"), false),
            (Self.script("same-site"), false), (Self.script("cross-site"), false),
            (Self.script("same-site", [own]), false), (Self.script("unknown"), false),
            ([("Origin", emulator.appURL)], false), ([("Origin", emulator.awsURL)], false),
            ([("Origin", "http://localhost:3000")], false), ([("Origin", "null")], false),
            ([("Origin", "http://localhost:\(emulator.controlPort)")], false),
            ([("Origin", "https://127.0.0.1:\(emulator.controlPort)")], false),
            (Self.script("same-origin", [("Origin", "http://localhost:3000")]), false),
            ([("Host", "evil.example:\(emulator.controlPort)")], false),
            (
                [
                    ("Host", "evil.example"), ("Origin", "http://evil.example"),
                    ("Sec-Fetch-Site", "same-origin"),
                ], false
            ),
        ]
        for (headers, isAdmitted) in rows {
            for path in ["/_emulator/health", "/", "/_emulator/state"] {
                let answer = try caller.controls(.get, path, headers: headers)
                expectEqual(answer.status, isAdmitted ? 200 : 403, "\(path) \(headers)")
            }
        }
        let posted = try caller.controls(
            .post, "/_emulator/expire-now",
            headers: Self.visit("same-site") + [("Content-Type", "application/json")])
        expectEqual(posted.status, 403)
    }

    @Test func `pages of the control port are isolated from other pages`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        for path in ["/", "/_emulator/"] {
            let page = try caller.controls(.get, path, headers: Self.visit("same-site"))
            expectEqual(page.header("content-type"), "text/html; charset=utf-8")
            expectEqual(page.header("cross-origin-opener-policy"), "same-origin")
            expectEqual(page.header("x-frame-options"), "DENY")
            expectEqual(page.header("x-content-type-options"), "nosniff")
            let policy = page.header("content-security-policy") ?? ""
            #expect(policy.contains("frame-ancestors 'none'"), "\(policy)")
        }
    }

    @Test func `the control port serves only the controls`() throws {
        let caller = EmulatorClient(try EmulatorProcess.shared())
        for path in ["/_idp/apple/auth/keys", "/x", "/_emulatorx", "/_api/a/b", "/2015-03-31/"] {
            let answer = try caller.controls(.get, path)
            expectEqual(answer.status, 404, "\(path)")
        }
        try expectEqual(caller.controls(.post, "/_idp/apple/mint").status, 404)
    }
}

// Changes.
extension ControlAccessTests {
    private static let form = "application/x-www-form-urlencoded"

    /// Requests that a page of any origin can send without a preflight are refused.
    @Test func `changes must have the type JSON or no body`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let clock = #"{"seconds":0}"#
        let rows: [(String?, String, Int)] = [
            ("application/json", clock, 200), ("application/json; charset=utf-8", clock, 200),
            ("Application/JSON ;a=b", clock, 200),
            (nil, clock, 415), (Self.form, clock, 415), ("text/plain", clock, 415),
            ("text/plain; application/json", clock, 415), ("multipart/form-data", clock, 415),
            ("application/jsonx", clock, 415), ("", clock, 415), (Self.form, "", 415),
            ("application/x-ndjson", clock, 415),
        ]
        for (type, body, status) in rows {
            let headers = type.map { [("Content-Type", $0)] } ?? []
            let bytes = Array(body.utf8)
            for answer in [
                try caller.app(.post, "/_emulator/clock", body, headers: headers),
                try caller.aws(.post, "/_emulator/clock", bytes, headers: headers),
                try caller.controls(.post, "/_emulator/clock", body, headers: headers),
            ] {
                expectEqual(answer.status, status, "\(type ?? "no type"): \(answer.text)")
            }
            let mint = try caller.app(.post, "/_idp/apple/mint", "{}", headers: headers)
            expectEqual(mint.status, status, "\(type ?? "no type"): \(mint.text)")
        }
        try expectEqual(caller.app(.post, "/_emulator/expire-now", headers: []).status, 200)
        try expectEqual(caller.controls(.post, "/_emulator/expire-now", headers: []).status, 200)
        try expectEqual(caller.app(.post, "/_idp/apple/mint", headers: []).status, 200)
        let exported = [("Content-Type", "application/x-ndjson")]
        try expectEqual(caller.controls(.post, "/_emulator/state", headers: exported).status, 200)
        let own = [("Origin", emulator.controlURL)]
        try expectEqual(caller.controls(.post, "/_emulator/expire-now", headers: own).status, 415)
    }

    @Test func `no page can change anything by a form`() throws {
        let emulator = try EmulatorProcess.shared()
        let caller = EmulatorClient(emulator)
        let type = ("Content-Type", Self.form)
        let rows: [([(String, String)], Int)] = [
            ([("Sec-Fetch-Site", "same-origin"), ("Origin", emulator.controlURL)], 415),
            ([("Origin", emulator.controlURL)], 415), ([("Sec-Fetch-Site", "same-origin")], 415),
            ([("Sec-Fetch-Site", "same-site"), ("Origin", emulator.appURL)], 403),
            ([("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")], 403),
            ([("Sec-Fetch-Site", "cross-site"), ("Origin", "null")], 403),
            ([("Origin", "https://evil.example")], 403), ([], 415),
        ]
        for path in ["/_emulator/mail", "/_emulator/expire-now"] {
            for (headers, status) in rows {
                let answer = try caller.controls(.post, path, "a=b", headers: [type] + headers)
                expectEqual(answer.status, status, "\(path) \(headers)")
            }
        }
    }
}
