import BaseTestSupport

/// A function that uses a service with the range API of Have I Been Pwned.
@Suite("A service of breached passwords") struct BreachedPasswordServiceTests {
    private static let password = "Secret-1234"
    // The SHA-1 in upper case.
    private static let hash = Hex.encode(BrokenDigest.sha1(Array(password.utf8))).uppercased()
    private static var rest: String { String(hash.dropFirst(5)) }
    private static let other = String(repeating: "0", count: 34) + "A"

    private static let settings = [
        "CONTRACT": "shell", "STORE": "memory:", "JWT_SECRET": String(repeating: "s", count: 40),
        "BREACHED_PASSWORDS_URL": "https://breaches.example.com/v3/",
    ]

    /// The status of a registration.
    private func register(
        _ deployment: TestDeployment, _ settings: [String: String] = settings
    ) throws -> Int {
        let handler = try deployment.handler(settings, of: "register")
        let body =
            #"{"email":"user@example.com","password":"\#(Self.password)","#
            + #""confirmPassword":"\#(Self.password)"}"#
        return try #require(deployment.post(handler, "/auth/register", body)).status
    }

    private func deployment(_ body: String, status: Int = 200) throws -> TestDeployment {
        try TestDeployment { _ throws(HTTPFailure) in
            HTTPResponse(status: status, body: Array(body.utf8))
        }
    }

    @Test func `the request has only the first five digits of a hash`() throws {
        let deployment = try deployment("\(Self.other):1\r\n")
        try expectEqual(register(deployment), 201)
        let requests = deployment.requests.withLock { $0 }
        let request = try #require(requests.first)
        expectEqual(requests.count, 1)
        #expect(request.method == .get && request.body.isEmpty)
        expectEqual(request.url, "https://breaches.example.com/v3/range/\(Self.hash.prefix(5))")
        expectEqual(request.headers.value("add-padding"), "true")
        expectEqual(request.limits.responseBytesMax, 512 << 10)
        expectEqual(request.limits.totalMillisecondsMax, 2000)
        for header in request.headers { #expect(!header.value.contains(Self.rest)) }
    }

    @Test(arguments: [
        "\(rest):1", "\(rest):1\r\n\(other):3", "\(other):3\r\n\(rest):52579",
        "\(other):0\n\(rest.lowercased()):10\n", "\(rest):0\r\n\(rest):1",
    ])
    func `a password in the service's answer is refused`(body: String) throws {
        let deployment = try deployment(body)
        try expectEqual(register(deployment), 400)
        let lines = deployment.lines.withLock { $0 }.joined()
        #expect(lines.contains(#""reason":"passwordRefused.breached""#))
        #expect(!lines.contains(Self.hash.prefix(5)) && !lines.contains(Self.password))
    }

    @Test(arguments: ["", "\(other):1", "\(other):0\r\n\(rest):0", "\r\n\(other):12\r\n"])
    func `a password that the service does not know is accepted`(body: String) throws {
        let deployment = try deployment(body)
        try expectEqual(register(deployment), 201)
        #expect(!deployment.lines.withLock { $0 }.joined().contains("unavailable"))
    }

    static let garbage = [
        "<html>Oops</html>", "{}", "\(rest)", "\(rest):", "\(rest):x", "\(rest):-1",
        "\(rest.dropLast()):1", "\(rest)0:1", "\(rest):1:1", "\(rest) :1", "\(hash):1",
        "\(rest):1\r\nnonsense", "\(rest.dropLast())G:1",
        "\(rest):\(String(repeating: "9", count: 19))", "\u{FEFF}\(rest):1",
    ]

    @Test(arguments: garbage)
    func `a response that is not a list counts as no response`(body: String) throws {
        let deployment = try deployment(body)
        try expectEqual(register(deployment), 201)
        #expect(
            deployment.lines.withLock { $0 }.contains {
                $0.contains(#""level":"error","event":"breached_passwords_unavailable""#)
                    && $0.contains(#""reason":"unreadable""#)
            })
    }

    @Test(arguments: [204, 301, 400, 404, 429, 500, 503])
    func `another status counts as no response`(status: Int) throws {
        let deployment = try deployment("\(Self.rest):1", status: status)
        try expectEqual(register(deployment), 201)
        #expect(deployment.lines.withLock { $0 }.contains { $0.contains(#""reason":"refused""#) })
        expectEqual(deployment.requests.withLock { $0 }.count, 1)
    }

    static let failures: [(HTTPFailure, String)] = [
        (.connectFailed(detail: "down"), "unavailable"), (.timedOut, "timedOut"),
        (.responseTooLarge, "unreadable"), (.interrupted(detail: "cut"), "unavailable"),
        (.invalidURL, "unavailable"),
    ]

    @Test(arguments: failures)
    func `a password is accepted while the service is down or slow`(
        failure: HTTPFailure, reason: String
    ) throws {
        let deployment = try TestDeployment { _ throws(HTTPFailure) in throw failure }
        try expectEqual(register(deployment), 201)
        #expect(
            deployment.lines.withLock { $0 }.contains { $0.contains("\"reason\":\"\(reason)\"") })
    }

    @Test func `the built-in list applies regardless of the service's answer`() throws {
        let deployment = try TestDeployment()
        let settings = [
            "CONTRACT": "latchkey", "STORE": "memory:", "MAIL_URL": "smtp://127.0.0.1:9",
            "MAIL_FROM": "no-reply@example.com", "LINK_BASE": "https://app.example.com",
            "BREACHED_PASSWORDS_URL": "https://breaches.example.com",
        ]
        let handler = try deployment.handler(settings, of: "register")
        let body = #"{"email":"user@example.com","password":"passwordpassword"}"#
        try expectEqual(#require(deployment.post(handler, "/auth/register", body)).status, 400)
        #expect(deployment.requests.withLock { $0 }.isEmpty)
    }

    @Test(arguments: [
        "http://breaches.example.com", "breaches.example.com", "ftp://x", "https://",
        "https://user@x", "https://x?y", "https://x#y", "http://127.0.0.1.example.com",
        "http://localhost.example.com", "https://x y",
    ])
    func `a URL that is not safe is refused at the start`(url: String) throws {
        var settings = Self.settings
        settings["BREACHED_PASSWORDS_URL"] = url
        let problems = try TestDeployment().problems(settings, of: "register")
        #expect(problems.count == 1 && problems[0].hasPrefix("BREACHED_PASSWORDS_URL must"))
    }

    @Test(arguments: ["http://127.0.0.1:8000/_breaches", "http://localhost:1", "https://x"])
    func `a URL of this machine may use plain HTTP`(url: String) throws {
        var settings = Self.settings
        settings["BREACHED_PASSWORDS_URL"] = url
        try expectEqual(TestDeployment().problems(settings, of: "register"), [])
    }
}
