import BaseTestSupport
import Foundation

/// `latchkey configure`, with and without a terminal.
@Suite("latchkey configure", .serialized, .hangLimit)
struct ConfigureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.file("latchkey.env") }

    private func configure(_ arguments: [String], input: String = "") throws -> ProcessResult {
        var command = Command(
            BuiltExecutables.path(of: "latchkey"), ["configure", "--file", file] + arguments)
        command.input = .bytes(Array(input.utf8))
        return try ChildProcess.run(command.working(in: folder))
    }

    private func text() throws -> String {
        String(decoding: try folder.read("latchkey.env"), as: UTF8.self)
    }

    private func start() throws -> HTTPProcess {
        try HTTPProcess(.latchkey(["--env-file", file, "--listen", "127.0.0.1:0"], in: folder))
    }

    @Test func `settings are written for the owner only, and the server reads them`() throws {
        let result = try configure([
            "--no-checks", "--set", "ISSUER=https://auth.example.com", "--set",
            "APP_NAME=Diary & Co",
        ])
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        expectEqual(folder.names, ["latchkey.env"])
        #expect(result.errorText.contains("latchkey --env-file \(file) --listen"))
        let server = try start()
        let client = try server.client()
        client.send("GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(client.answer())
        #expect(answer.body.contains(#""issuer":"https://auth.example.com""#), "\(answer.body)")
        _ = server.end()
    }

    @Test func `comments and other lines are kept, and an example's line is used`() throws {
        let before = """
            # Ours.
            #ISSUER=https://example.com
            export TRUSTED_HOPS=1

            LOG_LEVEL='info'
            TRUSTED_HOPS=2
            """
        try folder.write(Array(before.utf8), to: "latchkey.env")
        _ = try configure([
            "--no-checks", "--set", "ISSUER=https://auth.example.com", "--set", "TRUSTED_HOPS=3",
            "--set", "GOOGLE_CLIENT_IDS=1.apps.googleusercontent.com", "--unset", "LOG_LEVEL",
        ])
        try expectEqual(
            text(),
            """
            # Ours.
            ISSUER=https://auth.example.com

            TRUSTED_HOPS=3

            # Sign in with Google
            GOOGLE_CLIENT_IDS=1.apps.googleusercontent.com

            """)
    }

    @Test(arguments: ["pass word", "a\"b\\c$d`e", "it's", "#start", " edge ", "üñ=ï", "a;b&c"])
    func `a value from standard input is not printed, and the server reads it unchanged`(
        value: String
    ) throws {
        let result = try configure(["--no-checks", "--read", "APP_NAME"], input: value + "\n")
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        #expect(!result.errorText.contains(value) && !result.text.contains(value))
        let listed = try ChildProcess.run(
            .latchkey(["--env-file", file, "--settings"], in: folder)
        ).text
        #expect(listed.contains("\n  APP_NAME=\(value)\n"), "\(listed.suffix(300))")
    }

    @Test func `a refused value is not written, and a heading is removed with its last value`()
        throws
    {
        let refused = try configure([
            "--no-checks", "--set", "APP_NAME=Diary", "--set", "ISSUER=http://mybox.lan",
        ])
        expectEqual(refused.end, .exit(1))
        #expect(refused.errorText.contains("ISSUER must be an https URL"))
        #expect(refused.errorText.contains("Nothing was written."))
        expectEqual(folder.names, [])
        _ = try configure(["--no-checks", "--set", "APP_NAME=Diary", "--set", "UI=on"])
        let before = try text()
        _ = try configure(["--no-checks", "--set", "GOOGLE_CLIENT_IDS=1.example"])
        #expect(try text().contains("# Sign in with Google"))
        _ = try configure(["--no-checks", "--unset", "GOOGLE_CLIENT_IDS"])
        try expectEqual(text(), before)
    }

    @Test(arguments: [
        ("ISSUER", "auth.example.com", "https://auth.example.com"),
        ("ISSUER", "localhost:8080", "http://localhost:8080"),
        ("ALLOWED_ORIGINS", "app.example.com", "https://app.example.com"),
        ("ISSUER", "auth example", nil), ("ISSUER", "n", nil), ("TRUSTED_HOPS", "many", nil),
        ("ISSUER", "http://auth.example.com", nil),
    ])
    func `an address without its scheme is offered with it`(
        name: String, typed: String, offered: String?
    ) throws {
        let refused = try configure(["--no-checks", "--set", "\(name)=\(typed)"])
        expectEqual(refused.end, .exit(1))
        let words = refused.errorText.split(separator: "did you mean ").dropFirst()
        expectEqual(words.first.map(String.init), offered.map { "\($0)?\nNothing was written.\n" })
        expectEqual(folder.names, [])
    }

    @Test func `a web app that may not call the server is reported with the setting`() throws {
        func said(_ returns: String, _ more: String...) throws -> String {
            let result = try configure(
                ["--no-checks"]
                    + (["ISSUER=https://auth.example.com", "UI_RETURN=\(returns)"] + more)
                    .flatMap { ["--set", $0] })
            expectEqual(result.end, .exit(0))
            return result.errorText
        }
        let text = try said("https://app.example.com/in")
        #expect(
            text.contains(
                "  note UI_RETURN: no page of https://app.example.com may call this server; for a "
                    + "web app without a back end set ALLOWED_ORIGINS=https://app.example.com\n"),
            "\(text)")
        #expect(try !said("https://auth.example.com/app").contains("note UI_RETURN"))
        let listed = "ALLOWED_ORIGINS=https://app.example.com"
        #expect(try !said("https://app.example.com/in", listed).contains("note UI_RETURN"))
    }

    @Test(arguments: [
        ("http://127.0.0.1", "8080"), ("http://localhost:9080/id", "9080"),
        ("https://auth.example.com:8443", "8080"),
    ])
    func `the command to start has the port of an address of this machine`(
        issuer: String, port: String
    ) throws {
        let result = try configure(["--no-checks", "--set", "ISSUER=\(issuer)"])
        #expect(result.errorText.contains("--listen 127.0.0.1:\(port)\n"), "\(result.errorText)")
    }

    @Test func `a value that a settings file cannot contain is refused`() throws {
        let quotes = try configure(["--no-checks", "--read", "APP_NAME"], input: "'\"$\n")
        #expect(quotes.end == .exit(1) && quotes.errorText.contains("APP_NAME=file:PATH"))
        let line = try configure(["--no-checks", "--set", "APP_NAME=a\nb"])
        #expect(line.end == .exit(1) && line.errorText.contains("line break"))
        expectEqual(folder.names, [])
    }

    @Test(arguments: [
        ("FOO", "FOO is not a setting"),
        ("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_ID is not a setting; did you mean GOOGLE_CLIENT_IDS?"),
        ("OIDC_ISSUER", "OIDC_ISSUER is not a setting"),
    ])
    func `a name that is not a setting is refused, but can be removed`(
        name: String, problem: String
    )
        throws
    {
        try folder.write(Array("GOOGLE_CLIENT_IDS=a\n\(name)=x\n".utf8), to: "latchkey.env")
        let refused = try configure(["--no-checks", "--set", "\(name)=abc"])
        expectEqual(refused.end, .exit(64))
        #expect(refused.errorText.contains(problem), "\(refused.errorText)")
        _ = try configure(["--no-checks", "--unset", name])
        try expectEqual(text(), "GOOGLE_CLIENT_IDS=a\n")
        let absent = try configure(["--no-checks", "--unset", name])
        expectEqual(absent.end, .exit(64))
        #expect(absent.errorText.contains(problem), "\(absent.errorText)")
        let others = try configure([
            "--no-checks", "--set", "AWS_REGION=eu-central-1", "--set",
            "OIDC_ACME_ISSUER=https://login.example.com", "--set", "APP_BUNDLE_ID=com.example",
        ])
        expectEqual(others.end, .exit(0), "\(others.errorText)")
    }

    @Test(arguments: [
        ("APPLE_TEAM_ID", "my team", "A1B2C3D4E5"), ("APPLE_KEY_ID", "A1B2", "A1B2C3D4E5"),
        ("APPLE_CLIENT_IDS", "com.example.app,banana", "com.example.app,com.example.web"),
        ("APPLE_CLIENT_IDS", "A1B2C3D4E5.com.example.app", "com.example.app"),
        ("APPLE_WEB_CLIENT_ID", "https://example.com", "com.example.web"),
    ])
    func `a value that Apple cannot have issued is refused`(
        name: String, wrong: String, right: String
    ) throws {
        let refused = try configure(["--no-checks", "--set", "\(name)=\(wrong)"])
        expectEqual(refused.end, .exit(1))
        #expect(refused.errorText.contains("\(name) must be "), "\(refused.errorText)")
        #expect(!refused.errorText.contains("did you mean"), "\(refused.errorText)")
        #expect(folder.names.isEmpty)
        let accepted = try configure(["--no-checks", "--set", "\(name)=\(right)"])
        #expect(!accepted.errorText.contains("\(name) must be"), "\(accepted.errorText)")
        try #expect(text().contains("\(name)=\(right)\n"))
    }

    @Test func `without a terminal and flags, configure prints what to type`() throws {
        let result = try configure([])
        expectEqual(result.end, .exit(64))
        #expect(result.errorLines.count == 1 && result.errorText.contains("--set NAME=VALUE"))
        expectEqual(folder.names, [])
        for wrong in [["--set", "issuer=x"], ["--set", "ISSUER"], ["--wrong"]] {
            let refused = try configure(wrong)
            expectEqual(refused.end, .exit(64), "\(refused.errorText)")
            expectEqual(refused.errorLines.count, 1)
        }
        let unwritable = try ChildProcess.run(
            Command(
                BuiltExecutables.path(of: "latchkey"),
                ["configure", "--file", "/nowhere/latchkey.env", "--set", "UI=on"]))
        #expect(
            unwritable.end == .exit(1) && unwritable.errorText.contains("/nowhere/latchkey.env"))
    }

    @Test func `providers are asked for their documents, and a wrong one does not prevent writing`()
        throws
    {
        let server = try LoopbackServer { seen in
            let host = seen.headers.first { $0.name == "host" }?.value ?? ""
            let issuer: JSON = [
                "issuer": .string(seen.target.hasPrefix("/right") ? "http://\(host)/right" : "x"),
                "jwks_uri": "https://id.example.com/keys",
            ]
            return HTTPResponse(status: 200, body: issuer.serialized)
        }
        defer { server.stop() }
        func settings(_ issuer: String) -> [String] {
            ["OIDC_PROVIDERS=acme", "OIDC_ACME_ISSUER=\(issuer)", "OIDC_ACME_CLIENT_IDS=app"]
                .flatMap { ["--set", $0] }
        }
        let right = try configure(settings("\(server.url)/right"))
        expectEqual(right.end, .exit(0), "\(right.errorText)")
        #expect(right.errorText.contains("ok   OIDC_ACME_ISSUER"))
        let wrong = try configure(settings("\(server.url)/wrong"))
        expectEqual(wrong.end, .exit(2))
        #expect(wrong.errorText.contains("of another issuer"), "\(wrong.errorText)")
        let silent = try configure(settings("http://127.0.0.1:1"))
        #expect(silent.errorText.contains("cannot be reached"), "\(silent.errorText)")
        #expect(try text().contains("OIDC_ACME_ISSUER=http://127.0.0.1:1"))
    }

    @Test func `a test mail is sent, or its failure is reported in one line`() throws {
        mkdir(folder.file("mail"), 0o700)
        func sends(_ mail: String, _ address: String = "ada@example.com") throws -> ProcessResult {
            try configure(
                ["--no-checks", "--test-mail", address, "--set", "MAIL_FROM=no-reply@example.com"]
                    + ["MAIL", "MAIL_URL"].flatMap { ["--set", "\($0)=\(mail)"] })
        }
        let written = try sends("folder:\(folder.file("mail"))")
        #expect(written.errorText.contains("ok   test mail"), "\(written.errorText)")
        expectEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("mail")).count, 1)
        let unreachable = try sends("smtp://127.0.0.1:1")
        expectEqual(unreachable.end, .exit(2))
        #expect(unreachable.errorText.contains("No connection"), "\(unreachable.errorText)")
        #expect(try sends("smtp://127.0.0.1:1", "ada").errorText.contains("not an e-mail address"))
    }

    @Test func `the values to register are printed, and wrong settings are reported`() throws {
        let key = folder.file("key.p8")
        try folder.write(Array("no key".utf8), to: "key.p8")
        let result = try configure(
            [
                "ISSUER=https://auth.example.com", "UI=on", "GOOGLE_CLIENT_IDS=1.example",
                "GOOGLE_WEB_CLIENT_ID=1.example", "GOOGLE_CLIENT_SECRET=s3cret-word",
                "APPLE_CLIENT_IDS=com.example.web", "APPLE_WEB_CLIENT_ID=com.example.web",
                "APPLE_TEAM_ID=A1B2C3D4E5", "APPLE_KEY_ID=F6G7H8I9J0",
                "APPLE_PRIVATE_KEY=file:\(key)",
                "ALLOWED_ORIGINS=https://app.example.com",
            ].flatMap { ["--set", $0] } + ["--no-checks"])
        expectEqual(result.end, .exit(2))
        for line in [
            "https://auth.example.com/auth/ui/callback/google",
            "https://auth.example.com/auth/ui/callback/apple",
            "https://auth.example.com/auth/apple/notifications",
            "JavaScript origin    https://app.example.com", "Services ID com.example.web",
            "bad  APPLE_TEAM_ID, APPLE_KEY_ID or APPLE_PRIVATE_KEY",
        ] {
            #expect(result.errorText.contains(line), "\(line): \(result.errorText)")
        }
        #expect(!result.errorText.contains("s3cret-word"))
    }

    @Test func `a client ID for browsers enables Google, and a secret does not suffice`() throws {
        func sets(_ settings: String...) throws -> ProcessResult {
            try configure(["--no-checks"] + settings.flatMap { ["--set", $0] })
        }
        let secret = try sets("UI=on", "GOOGLE_CLIENT_SECRET=s3cret-word")
        expectEqual(secret.end, .exit(2))
        #expect(secret.errorText.contains("bad  Sign in with Google is off"), "\(secret.errorText)")
        let both = try sets("GOOGLE_WEB_CLIENT_ID=1.example")
        expectEqual(both.end, .exit(0), "\(both.errorText)")
        #expect(both.errorText.contains("At Google"), "\(both.errorText)")
        let server = try start()
        let client = try server.client()
        client.send("GET /auth/ui/signin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let page = try #require(client.answer()).body
        #expect(page.contains("Continue with Google"), "\(page)")
        _ = server.end()
    }

    @Test(arguments: [
        ("ALLOWED_ORIGINS=http://localhost:5173/", "http://localhost:5173/ ends with a slash"),
        ("OAUTH_CLIENTS=clients.json", "did you mean ./clients.json?"),
    ])
    func `the error for a wrong value says how to correct it`(
        setting: String, problem: String
    ) throws {
        let result = try configure(
            ["--no-checks", "--set", "UI=on", "--set", "OAUTH=on", "--set", setting])
        expectEqual(result.end, .exit(1))
        #expect(result.errorText.contains(problem), "\(result.errorText)")
        #expect(folder.names.isEmpty)
    }

    @Test func `at a terminal it asks, and shows current settings without secrets`() throws {
        try folder.write(Array("APP_NAME=Diary\n".utf8), to: "latchkey.env")
        let program = """
            import os, pty, sys
            answers = [
                (b"ISSUER [", b"auth.example.com"), (b"Enter for https://auth.example.com.", b""),
                (b"TRUSTED_HOPS [", b"many"),
                (b"TRUSTED_HOPS [", b"1"), (b"APP_NAME [Diary]", b""), (b"Pages for", b"y"),
                (b"UI_RETURN [", b"http://localhost:3000/in"),
                (b"ALLOWED_ORIGINS [http://localhost:3000]", b""),
                (b"SIGN_UP [", b"closed"), (b"UI_COLOR [", b"#0a7f5c"), (b"UI_LOGO [", b""),
                (b"with Google?", b"yes"), (b"GOOGLE_CLIENT_IDS [", b"1.example"),
                (b"GOOGLE_WEB_CLIENT_ID [1.example", b""), (b"CLIENT_SECRET [", b"s3cret-word"),
                (b"with Apple?", b""), (b"Send mail?", b"yes"),
                (b"MAIL_URL [", b"smtp://127.0.0.1:2525"), (b"MAIL_FROM [", b""),
                (b"MAIL_FROM is required", b"no-reply@example.com"), (b"LINK_BASE [", b""),
                (b"test mail (", b""),
            ]
            pid, terminal = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], sys.argv[1:])
            text = b""
            for question, answer in answers:
                begin = len(text)
                while question not in text[begin:] or not text.endswith(b": "):
                    text += os.read(terminal, 65536)
                os.write(terminal, answer + b"\\n")
            try:
                while piece := os.read(terminal, 65536):
                    text += piece
            except OSError:
                pass
            sys.stdout.buffer.write(text)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        var command = Command(
            "/usr/bin/env",
            [
                "python3", "-c", program, BuiltExecutables.path(of: "latchkey"), "configure",
                "--file", file, "--no-checks",
            ])
        command.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin")]
        let result = try ChildProcess.run(command.working(in: folder))
        expectEqual(result.end, .exit(0), "\(result.text)")
        #expect(!result.text.contains("s3cret-word"))
        #expect(result.text.contains("TRUSTED_HOPS must be a whole number"))
        try expectEqual(
            text().split(separator: "\n").filter { !$0.hasPrefix("#") },
            [
                "APP_NAME=Diary", "ISSUER=https://auth.example.com", "TRUSTED_HOPS=1", "UI=on",
                "UI_RETURN=http://localhost:3000/in", "ALLOWED_ORIGINS=http://localhost:3000",
                "SIGN_UP=closed", "UI_COLOR='#0a7f5c'", "GOOGLE_CLIENT_IDS=1.example",
                "GOOGLE_WEB_CLIENT_ID=1.example", "GOOGLE_CLIENT_SECRET=s3cret-word",
                "MAIL_URL=smtp://127.0.0.1:2525", "MAIL_FROM=no-reply@example.com",
            ].map { Substring($0) })
    }
}
