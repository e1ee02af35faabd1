import BaseTestSupport
import Foundation

/// The messages for first-time users of the emulator.
@Suite("First steps", .serialized, .hangLimit)
struct NewcomerTests {
    /// A YAML template in a new folder, in which the command runs.
    private static func project(
        _ yaml: String, as name: String = "template.yaml", _ arguments: [String] = []
    ) throws -> (folder: TemporaryFolder, command: Command) {
        let folder = try TemporaryFolder()
        try folder.write(Array(yaml.utf8), to: name)
        var command = EmulatorProcess.serving(["--ephemeral"] + arguments).working(in: folder)
        command.folder = folder
        return (folder, command)
    }

    private static let notes = """
        Resources:
          Notes: {Type: AWS::Serverless::SimpleTable}
        """

    private static func function(_ code: String, named name: String? = nil) -> String {
        """
          SignInFunction:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: \(code)
              Handler: bootstrap
              Runtime: provided.al2023
        """ + (name.map { "\n      FunctionName: \($0)" } ?? "")
    }

    private func failure(_ command: Command) throws -> (status: ProcessResult.End, text: String) {
        let result = try ChildProcess.run(command)
        return (result.end, result.errorText)
    }

    @Test(arguments: ["template.yaml", "template.yml", "template.json"])
    func `the template of this folder is found`(name: String) throws {
        let text =
            name.hasSuffix("json")
            ? #"{"Resources":{"Notes":{"Type":"AWS::Serverless::SimpleTable"}}}"# : Self.notes
        let emulator = try EmulatorProcess(try Self.project(text, as: name).command)
        #expect(emulator.log.hasPrefix("emulator: \(name), "))
        let caller = EmulatorClient(emulator)
        try expectEqual(caller.table("DescribeTable", ["TableName": "Notes"]).status, 200)
    }

    @Test func `without a template the error lists the default names`() throws {
        let (status, text) = try failure(try Self.project("", as: "other.yaml").command)
        expectEqual(status, .exit(2))
        #expect(
            text.hasPrefix(
                "emulator serve: there is no template.yaml, template.yml, template.json in this "
                    + "folder; give a template with --template FILE\n"), "\(text)")
    }

    private static func role(_ statement: String) -> String {
        """
        Resources:
          R:
            Type: AWS::IAM::Role
            Properties:
              AssumeRolePolicyDocument: {Version: 2012-10-17, Statement: [{Effect: Allow,
                Principal: {Service: lambda.amazonaws.com}, Action: "sts:AssumeRole"}]}
              Policies:
                - PolicyName: P
                  PolicyDocument:
                    Statement:
                      - {Effect: Allow, Action: "s3:*", Resource: "*"}
                      - \(statement)
        """
    }

    @Test func `the error for an invalid policy has its position`() throws {
        let (_, command) = try Self.project(
            Self.role(#"{Effect: Allow, Actions: "s3:*", Resource: "*"}"#))
        let (status, text) = try failure(command)
        expectEqual(status, .exit(1))
        expectEqual(
            text,
            "emulator serve: template.yaml:12:17: "
                + "Resources.R.Properties.Policies[0].PolicyDocument.Statement[1]: "
                + "Syntax errors in policy.\n")
    }

    /// CloudFormation accepts numbers there too.
    @Test func `the ID of a statement may be a number`() throws {
        let (_, command) = try Self.project(
            Self.role(#"{Sid: 1, Effect: Allow, Action: "s3:*", Resource: "*"}"#))
        let client = EmulatorClient(try EmulatorProcess(command))
        try expectEqual(client.controls(.get, "/_emulator/health").status, 200)
    }

    @Test func `the addresses are printed after the routes and the schedules`() throws {
        let (_, command) = try Self.project(
            """
            Resources:
              F:
                Type: AWS::Serverless::Function
                Properties:
                  Runtime: python3.12
                  Handler: app.handler
                  Events:
                    R: {Type: HttpApi, Properties: {Path: /a, Method: get}}
                    S: {Type: Schedule, Properties: {Name: nightly, Schedule: rate(1 day)}}
                    T: {Type: Schedule, Properties: {Name: paused, Schedule: rate(1 day),
                      Enabled: false}}
            """)
        let emulator = try EmulatorProcess(command)
        let lines = emulator.log.split(separator: "\n").map(String.init)
        let place = { (text: String) in lines.firstIndex { $0.contains(text) } ?? -1 }
        #expect(place("GET /a") > 0 && place("GET /a") < place("  app       http://"))
        let schedules = try #require(lines.firstIndex(of: "schedules"), "\(emulator.log)")
        expectEqual(
            lines[(schedules + 1)...].prefix(2), ["  nightly  F", "  paused   F (disabled)"])
        #expect(schedules < place("  AWS       http://"))
    }

    @Test(arguments: [
        (["serv"], "emulator: unknown command 'serv'; did you mean serve?\n"),
        (["nonsense"], "emulator: unknown command 'nonsense'; see 'emulator --help'\n"),
        (
            ["clock", "--urll", "x"],
            "emulator clock: unknown option '--urll'; did you mean --url?\n"
        ),
        (["clock", "--wings"], "emulator clock: unknown option '--wings'\n"),
        (
            ["serve", "--playground", "--port", "0"],
            "emulator serve: missing value for --playground\n"
        ),
    ])
    func `the error for a mistyped command or option names it, or suggests the nearest one`(
        words: [String], message: String
    ) throws {
        let (status, text) = try failure(EmulatorProcess.command(words))
        expectEqual(status, .exit(2))
        #expect(text.hasPrefix(message), "\(text)")
    }

    @Test func `the emulator and the functions have the same version`() throws {
        let own = try ChildProcess.run(EmulatorProcess.command(["--version"]))
        expectEqual(own.end, .exit(0))
        let function = try ChildProcess.run(
            Command(BuiltExecutables.path(of: "refresh"), ["--version"])
        ).text
        expectEqual(own.text.replacing("emulator", with: "refresh"), function)
    }

    @Test func `the error for logs of an unknown function lists the names`() throws {
        let (_, command) = try Self.project(
            "Resources:\n" + Self.function("none/", named: "signin"))
        let emulator = try EmulatorProcess(command)
        let logs = { (name: String) in
            try failure(EmulatorProcess.command(["logs", name, "--url", emulator.appURL]))
        }
        try expectEqual(logs("signin").status, .exit(0))
        try expectEqual(logs("emulator").status, .exit(0))
        let (status, text) = try logs("singin")
        expectEqual(status, .exit(1))
        expectEqual(
            text,
            "emulator logs: function not found: singin; did you mean signin? "
                + "Functions: signin, emulator\n")
    }

    @Test func `a section of an unknown function in the environment file is refused`() throws {
        let yaml = "Resources:\n" + Self.function("none/", named: "signin")
        let (folder, command) = try Self.project(yaml, ["--env-file", "settings.env"])
        try folder.write(Array("A=1\n[SignIn]\nB=2\n".utf8), to: "settings.env")
        let (status, text) = try failure(command)
        expectEqual(status, .exit(1))
        expectEqual(
            text,
            "emulator serve: settings.env:2: there is no function SignIn. "
                + "Functions: signin\n")
        // By name or by logical ID.
        for section in ["signin", "SignInFunction"] {
            try folder.write(Array("[\(section)]\nB=2\n".utf8), to: "settings.env")
            let caller = EmulatorClient(try EmulatorProcess(command))
            let function = try caller.aws(.get, "/2015-03-31/functions/signin").json
            expectEqual(function?["Configuration"]?["Environment"]?["Variables"]?["B"], "2")
        }
    }

    @Test func `commands say how to start an emulator when none runs`() throws {
        let server = try LoopbackServer { _ in .init(status: 200) }
        server.stop()
        for words in [["clock"], ["logs"], ["expire-now"]] {
            let (status, text) = try failure(
                EmulatorProcess.command(words + ["--url", server.url]))
            expectEqual(status, .exit(1))
            #expect(
                text.hasPrefix("emulator \(words[0]): no emulator answers at \(server.url) ("))
            #expect(text.contains("; start one with 'emulator serve', or give the address"))
            #expect(!text.contains("detail:"), "\(text)")
        }
        let event = try TemporaryFolder()
        try event.write(Array("{}".utf8), to: "event.json")
        let (_, text) = try failure(
            EmulatorProcess.command([
                "invoke", "f", "--event", event.file("event.json"), "--url", server.url,
            ]))
        expectEqual(
            text,
            "invoke: no emulator answers at \(server.url); start one with 'emulator serve', "
                + "or run the executable by itself with --local\n")
    }

    @Test func `the error for an unusable data directory suggests alternatives`() throws {
        let (_, command) = try Self.project(Self.notes)
        var other = command
        other.arguments =
            command.arguments.filter { $0 != "--ephemeral" }
            + ["--data", "/proc/x"]
        let (status, text) = try failure(other)
        expectEqual(status, .exit(1))
        expectEqual(
            text,
            "emulator serve: the data directory /proc/x cannot be used (/proc/x: No such "
                + "file or directory); use another with --data DIR, or keep the state in memory "
                + "with --ephemeral\n")
    }

    /// No message contains a Swift value's debug description.
    @Test func `messages contain no Swift descriptions`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("{".utf8), to: "broken.json")
        try folder.write(Array("{\"x\": }".utf8), to: "settings.json")
        try folder.makeFolder("f")
        try folder.write(Array("{}".utf8), to: "f/a.json")
        let serving = ["serve", "--ephemeral", "--port", "0", "--aws-port", "0"]
        for words in [
            serving + ["--template", folder.file("broken.json")],
            serving + ["--template", folder.path], serving + ["--store", "postgres://x"],
            serving + ["--store", "postgres://u@h/d?sslmode=what"],
            ["replay", folder.path], ["replay", folder.path, "--store", "postgres://x"],
            ["clock", "--url", "http://127.0.0.1:1"], ["clock", "--url", "http://[::1"],
            ["import", folder.file("broken.json"), "--url", "http://127.0.0.1:1"],
            ["event", folder.file("broken.json")],
        ] {
            let (_, text) = try failure(EmulatorProcess.command(words))
            #expect(!text.isEmpty)
            let isCode = text.contains(/\b[a-z]+[A-Z]\w*\(|\b[a-z]\w+\((offset|code|detail):/)
            #expect(!isCode, "\(words): \(text)")
        }
    }

    @Test func `the help of clock lists the times that it does not move`() throws {
        let help = try ChildProcess.run(EmulatorProcess.command(["clock", "--help"])).text
        #expect(help.contains("an access token\nis still valid after +2h"), "\(help)")
    }
}

/// The start page with links to all other pages.
@Suite("The index", .serialized, .hangLimit)
struct IndexPageTests {
    private func page(
        _ emulator: EmulatorProcess, _ path: String, accept: String = "text/html,*/*"
    ) throws -> HTTPResponse {
        try EmulatorClient(emulator).controls(.get, path, headers: [("accept", accept)])
    }

    @Test(arguments: ["/", "/_emulator/", "/_emulator"])
    func `a browser gets the dashboard`(path: String) throws {
        let emulator = try EmulatorProcess.shared()
        let answer = try page(emulator, path)
        expectEqual(answer.status, 200)
        expectEqual(answer.header("content-type"), "text/html; charset=utf-8")
        let script = try #require(
            answer.text.firstMatch(of: /src="(\/dashboard\/[0-9a-f]{16}\/app\.js)"/)?.1)
        let file = try EmulatorClient(emulator).controls(.get, String(script))
        expectEqual(file.status, 200)
        expectEqual(file.header("content-type"), "text/javascript; charset=utf-8")
    }

    @Test func `a program gets a list of everything, and at the root the template's response`()
        throws
    {
        let emulator = try EmulatorProcess.shared()
        let index = try page(emulator, "/_emulator/", accept: "*/*")
        for place in ["/_emulator/mail", "/_emulator/invocations", "/_emulator/health"] {
            #expect(index.json?["paths"]?[place] != nil, "\(index.text)")
            try expectEqual(EmulatorClient(emulator).controls(.get, place).status, 200)
        }
        let issuer = "\(emulator.appURL)/_idp/apple/.well-known/openid-configuration"
        #expect(index.json?["paths"]?[issuer] != nil)
        expectEqual(index.json?["app"]?.stringValue, emulator.appURL)
        expectEqual(index.json?["aws"]?.stringValue, emulator.awsURL)
        expectEqual(index.json?["controls"]?.stringValue, emulator.controlURL)
        try expectEqual(EmulatorClient(emulator).app(.get, "/").status, 404)
    }

    @Test func `a template's route at the root takes precedence`() throws {
        let project = try EmulatorProject([:], ["--quiet"])
        try project.folder.replace("root", withScript: #"cat > /dev/null; echo '"mine"'"#)
        let command = JSONObject.function(
            project.folder.file("root"),
            events: ["Root": JSONObject.route("GET", "/"), "X": JSONObject.route("GET", "/x")])
        try project.write(["f": command])
        let emulator = try EmulatorProcess(
            EmulatorProcess.serving([
                "--template", project.templatePath, "--ephemeral", "--mode", "cold",
            ]))
        let root = try EmulatorClient(emulator).app(.get, "/", headers: [("accept", "text/html")])
        expectEqual(root.text, "mine")
        let index = try page(emulator, "/_emulator/", accept: "*/*")
        let routes = index.json?["routes"]?.arrayValue ?? []
        #expect(
            routes.contains {
                $0["text"] == "GET /x" && $0["url"]?.stringValue == "\(emulator.appURL)/x"
            }, "\(index.text)")
    }
}
