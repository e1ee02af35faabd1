import BaseTestSupport

/// `emulator serve --playground`: a web app's files on an origin of their own.
@Suite("The playground's port", .serialized, .hangLimit)
struct PlaygroundPortTests {
    private static let page = "<!DOCTYPE html><title>Mine</title>"

    private static let template: JSON = [
        "Transform": "AWS::Serverless-2016-10-31",
        "Metadata": [
            "Emulator": [
                "Playground": ["Origins": ["{playgroundUrl}"], "Exposed": "x-playground"]
            ]
        ],
        "Parameters": [
            "Origins": ["Type": "String", "Default": "https://app.example.com"],
            "Exposed": ["Type": "String", "Default": "x-default"],
        ],
        "Resources": [
            "Api": [
                "Type": "AWS::Serverless::HttpApi",
                "Properties": [
                    "CorsConfiguration": [
                        "AllowOrigins": ["Fn::Split": [",", ["Ref": "Origins"]]],
                        "ExposeHeaders": ["retry-after", ["Ref": "Exposed"]],
                    ]
                ],
            ],
            "F": JSONObject.function(
                "/nonexistent",
                events: [
                    "Get": [
                        "Type": "HttpApi",
                        "Properties": [
                            "ApiId": ["Ref": "Api"], "Path": "/f", "Method": "GET",
                        ],
                    ]
                ]),
        ],
    ]

    private static func started(
        with flags: [String] = [], hasPlayground: Bool = true
    ) throws -> (EmulatorProject, EmulatorProcess) {
        let project = try EmulatorProject([:])
        try project.folder.replace("template.json", with: template.serialized)
        for folder in ["app", "app/parts", "app/.git"] { try project.folder.makeFolder(folder) }
        for (name, text) in [
            ("index.html", page), ("app.js", "export {};"), ("parts/a.css", "a{}"),
            (".secret.js", "x"), (".git/config.js", "x"), ("notes.txt", "x"),
        ] {
            try project.folder.write(Array(text.utf8), to: "app/\(name)")
        }
        try project.folder.write(Array("x".utf8), to: "outside.js")
        var command = project.command
        if hasPlayground { command.arguments += ["--playground", project.folder.file("app")] }
        command.arguments += flags
        return (project, try EmulatorProcess(command))
    }

    private static func send(
        _ emulator: EmulatorProcess, _ request: String, host: String? = nil, body: String = ""
    ) throws -> LoopbackClient.Answer {
        let url = try #require(emulator.playgroundURL)
        let authority = url.dropFirst("http://".count)
        let port = try #require(authority.split(separator: ":").last.flatMap { UInt16($0) })
        let client = try LoopbackClient(port: port)
        client.send(
            "\(request)\r\nHost: \(host ?? String(authority))\r\n"
                + (body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n") + "\r\n\(body)")
        return try #require(client.answer())
    }

    @Test func `files are served under a strict policy, and edits take effect at once`() throws {
        let (project, emulator) = try Self.started()
        for (path, type) in [
            ("/", "text/html"), ("/magic-link?token=x", "text/html"), ("/index.html", "text/html"),
            ("/app.js", "text/javascript"), ("/parts/a.css", "text/css"),
        ] {
            let answer = try Self.send(emulator, "GET \(path) HTTP/1.1")
            expectEqual(answer.status, 200, "\(path)")
            expectEqual(answer.header("content-type")?.hasPrefix(type), true, "\(answer.head)")
            expectEqual(
                answer.header("content-security-policy"),
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
                    + "connect-src 'self' \(emulator.appURL) \(emulator.awsURL); "
                    + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
                    + "require-trusted-types-for 'script'; trusted-types 'none'")
        }
        try project.folder.replace("app/index.html", with: Array("changed".utf8))
        try expectEqual(Self.send(emulator, "GET / HTTP/1.1").body, "changed")
        let addresses = try Self.send(emulator, "GET /emulator.json HTTP/1.1").body
        #expect(addresses.contains(#""controlUrl":"\#(emulator.controlURL)""#), "\(addresses)")
    }

    @Test(arguments: [
        "/outside.js", "/../outside.js", "/parts/../app.js", "/%2e%2e/outside.js", "/.secret.js",
        "/.git/config.js", "/parts//a.css", "//app.js", "/parts", "/notes.txt", "/missing.js",
        "/app.js/", "/_emulator/health.json", "/a%00.js",
    ])
    func `any other path is not found, or is the app's page`(path: String) throws {
        let (_, emulator) = try Self.started()
        let answer = try Self.send(emulator, "GET \(path) HTTP/1.1")
        // A path without an extension is the app's.
        #expect(path == "/parts" ? answer.body == Self.page : answer.status == 404)
    }

    @Test func `a posted form redirects to the page with the form as fragment`() throws {
        let (_, emulator) = try Self.started()
        let form = "Content-Type: application/x-www-form-urlencoded"
        let answer = try Self.send(
            emulator, "POST /phone HTTP/1.1\r\n\(form)", body: "state=a%0d%0aX: y&id_token=t")
        expectEqual(answer.status, 303)
        expectEqual(answer.header("location"), "/phone#state=a%0D%0AX%3A%20y&id_token=t")
        for (request, body, status) in [
            ("POST /phone HTTP/1.1\r\nContent-Type: text/plain", "a=b", 415),
            ("POST /app.js HTTP/1.1\r\n\(form)", "a=b", 400),
            ("POST //evil.example HTTP/1.1\r\n\(form)", "a=b", 400),
            ("POST /phone HTTP/1.1\r\n\(form)", String(repeating: "a", count: 40_000), 413),
            ("PUT / HTTP/1.1", "a", 405),
        ] {
            try expectEqual(Self.send(emulator, request, body: body).status, status, "\(request)")
        }
    }

    @Test func `the playground can only read requests to its servers and make them fail`() throws {
        let (_, emulator) = try Self.started()
        let origin = try #require(emulator.playgroundURL)
        let sent = try EmulatorClient(emulator).app(.post, "/_received/printer", "notice")
        expectEqual(sent.status, 204)
        let list = "GET /_emulator/received?name=printer HTTP/1.1\r\nSec-Fetch-Site: "
        #expect(try Self.send(emulator, list + "same-origin").body.contains("notice"))
        try expectEqual(Self.send(emulator, list + "cross-site").status, 403)
        try expectEqual(Self.send(emulator, "GET /_emulator/mail HTTP/1.1").status, 404)
        let down = #"{"match": {"service": "receiver"}, "effect": "reset", "count": 1}"#
        let add = "POST /_emulator/faults HTTP/1.1\r\nContent-Type: application/json\r\nOrigin: "
        for (origin, fault, status) in [
            (origin, down, 201), ("https://evil.example", down, 403),
            (origin, down.replacing("receiver", with: "s3"), 404), (origin, "[\(down)]", 404),
        ] {
            try expectEqual(Self.send(emulator, add + origin, body: fault).status, status)
        }
    }

    @Test func `a host name that does not name this machine is refused`() throws {
        let (_, emulator) = try Self.started()
        let answer = try Self.send(emulator, "GET / HTTP/1.1", host: "evil.example")
        expectEqual(answer.status, 403)
    }

    private static func asked(
        _ emulator: EmulatorProcess, from origin: String
    ) throws -> HTTPResponse {
        try EmulatorClient(emulator).app(.get, "/f", headers: [("Origin", origin)])
    }

    @Test func `the playground's origin is allowed, and only this origin can read traces`() throws {
        let (_, emulator) = try Self.started()
        let origin = try #require(emulator.playgroundURL)
        let own = try Self.asked(emulator, from: origin)
        expectEqual(own.header("access-control-allow-origin"), origin)
        expectEqual(own.header("x-amzn-trace-id")?.hasPrefix("Root=1-"), true)
        let exposed = own.headers.filter {
            $0.name.lowercased() == "access-control-expose-headers"
        }
        expectEqual(exposed.map(\.value), ["retry-after,x-playground", "X-Amzn-Trace-Id"])
        let trace = own.header("x-amzn-trace-id")?.split(separator: ";").first?.dropFirst(5)
        let found = try EmulatorClient(emulator).controls(.get, "/_emulator/traces/\(trace ?? "")")
        #expect(found.text.contains("/f"), "\(found.text)")
        let other = try Self.asked(emulator, from: "https://app.example.com")
        expectEqual(other.header("access-control-allow-origin"), nil)
        expectEqual(other.header("x-amzn-trace-id"), nil)
        let health = try EmulatorClient(emulator).app(.get, "/_emulator/health")
        expectEqual(health.json?["playgroundUrl"]?.stringValue, origin)
        let index = try EmulatorClient(emulator).controls(.get, "/")
        expectEqual(index.json?["playground"]?.stringValue, origin, "\(index.text)")
    }

    @Test func `a parameter of the command line is added to the playground's list`() throws {
        let (_, emulator) = try Self.started(
            with: ["--parameter", "Origins=https://mine.example"])
        let answer = try Self.asked(emulator, from: "https://mine.example")
        expectEqual(answer.header("access-control-allow-origin"), "https://mine.example")
        expectEqual(answer.header("x-amzn-trace-id"), nil)
        let origin = try #require(emulator.playgroundURL)
        let own = try Self.asked(emulator, from: origin)
        expectEqual(own.header("access-control-allow-origin"), origin)
        #expect(own.header("x-amzn-trace-id") != nil)
    }

    @Test func `a parameter of the command line overrides the playground's text`() throws {
        let (_, emulator) = try Self.started(with: ["--parameter", "Exposed=x-mine"])
        let origin = try #require(emulator.playgroundURL)
        let answer = try Self.asked(emulator, from: origin)
        expectEqual(answer.header("access-control-expose-headers"), "retry-after,x-mine")
    }

    @Test func `without the flag there is no playground`() throws {
        let (_, emulator) = try Self.started(hasPlayground: false)
        expectEqual(emulator.playgroundURL, nil)
        let answer = try Self.asked(emulator, from: "https://app.example.com")
        expectEqual(answer.header("access-control-allow-origin"), "https://app.example.com")
        let health = try EmulatorClient(emulator).app(.get, "/_emulator/health")
        expectEqual(health.json?["playgroundUrl"], nil)
    }
}
