import BaseTestSupport
import Foundation

/// `emulator serve --template A --template B`.
@Suite("An emulator with several templates", .serialized, .hangLimit)
struct SeveralTemplatesTests {
    /// Answers with its name, a parameter, and the authorizer's context.
    private static let code = """
        import os
        def handler(event, context):
            if event.get("type") == "REQUEST":
                return {"isAuthorized": event["headers"]["authorization"] == "yes",
                        "context": {"by": context.function_name}}
            authorizer = event.get("requestContext", {}).get("authorizer", {})
            return {"function": context.function_name, "word": os.environ.get("WORD"),
                    "by": authorizer.get("lambda", {}).get("by"),
                    "key": os.environ["AWS_ACCESS_KEY_ID"]}
        """

    private static let auth = """
        Transform: AWS::Serverless-2016-10-31
        Parameters:
          Word: {Type: String, Default: none}
          Table: {Type: String, Default: first}
        Resources:
          Items:
            Type: AWS::Serverless::SimpleTable
            Properties: {TableName: !Ref Table}
          Check:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: code/
              Runtime: python3.13
              Handler: app.handler
              Timeout: 20
              Layers: [one]
              Environment: {Variables: {WORD: !Ref Word}}
              Events:
                Me: {Type: HttpApi, Properties: {Method: GET, Path: /auth/me}}
                Any: {Type: HttpApi}
        Outputs:
          CheckArn:
            Value: !GetAtt Check.Arn
            Export: {Name: !Sub "${AWS::StackName}-CheckArn"}
        """

    private static let app = """
        Transform: AWS::Serverless-2016-10-31
        Parameters:
          Word: {Type: String, Default: none}
        Resources:
          Api:
            Type: AWS::Serverless::HttpApi
            Properties:
              Auth:
                Authorizers:
                  Guard:
                    AuthorizerPayloadFormatVersion: "2.0"
                    EnableSimpleResponses: true
                    FunctionArn: !ImportValue latchkey-CheckArn
                    Identity: {Headers: [Authorization]}
          Photos:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: ../code/
              Runtime: python3.13
              Handler: app.handler
              Timeout: 20
              Layers: [two]
              Environment: {Variables: {WORD: !Ref Word}}
              Events:
                List:
                  Type: HttpApi
                  Properties:
                    {ApiId: !Ref Api, Method: GET, Path: /photos, Auth: {Authorizer: Guard}}
                Open:
                  Type: HttpApi
                  Properties: {ApiId: !Ref Api, Method: GET, Path: "/photos/{id}"}
                Me:
                  Type: HttpApi
                  Properties: {ApiId: !Ref Api, Method: GET, Path: /auth/me}
        """

    private static func folder(
        auth: String = Self.auth, app: String = Self.app
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["code", "app"] { try folder.makeFolder(name) }
        try folder.write(Array(code.utf8), to: "code/app.py")
        try folder.write(Array(auth.utf8), to: "auth.yaml")
        try folder.write(Array(app.utf8), to: "app/template.yaml")
        return folder
    }

    private static func command(_ folder: TemporaryFolder, _ arguments: [String] = []) -> Command {
        var command = EmulatorProcess.serving(
            [
                "--ephemeral", "--template", folder.file("auth.yaml"), "--template",
                folder.file("app/template.yaml"),
            ] + arguments)
        command.folder = folder
        return command
    }

    @Test func `each function is served by its own code, role and parameters`() throws {
        let folder = try Self.folder()
        let emulator = try EmulatorProcess(
            Self.command(folder, ["--parameter", "Word=both", "--parameter", "Table=second"]))
        let caller = EmulatorClient(emulator)
        let me = try #require(try caller.app(.get, "/auth/me").json)
        let photo = try #require(try caller.app(.get, "/photos/1").json)
        expectEqual([me["function"], photo["function"]], ["Check", "Photos"])
        expectEqual([me["word"], photo["word"]], ["both", "both"])
        #expect(me["key"] != photo["key"])
        // The default route of the first template is below the routes of the second.
        try expectEqual(caller.app(.get, "/photos/1/x").json?["function"], "Check")
        try expectEqual(caller.table("DescribeTable", ["TableName": "second"]).status, 200)
        // By name, at every service.
        try expectEqual(caller.invoke("Photos", "{}").json?["function"], "Photos")
        let health = try #require(try caller.app(.get, "/_emulator/health").json)
        expectEqual(health["functions"], ["Check", "Photos"])
        #expect(emulator.log.contains("GET /photos/{id}"))
    }

    @Test func `warnings and hidden routes have the file and the line`() throws {
        let folder = try Self.folder()
        let emulator = try EmulatorProcess(Self.command(folder))
        let (auth, app) = (folder.file("auth.yaml"), folder.file("app/template.yaml"))
        for place in ["\(auth):16:", "\(app):22:"] {
            #expect(emulator.log.contains("\(place)"), "\(place)\n\(emulator.log)")
        }
        let hidden = emulator.log.split(separator: "\n").first { $0.contains("GET /auth/me is a") }
        let line = String(try #require(hidden, "\(emulator.log)"))
        #expect(line.contains("\(auth):19:") && line.contains("\(app):34:"), "\(line)")
        // It is reached at the path in the warning.
        let match = try #require(line.firstMatch(of: /(\/_api\/[a-z0-9]+)\//))
        let answer = try EmulatorClient(emulator).app(.get, "\(match.1)/auth/me")
        expectEqual(answer.json?["function"], "Photos")
    }

    @Test func `a change of any template is served`() throws {
        let folder = try Self.folder()
        let caller = EmulatorClient(try EmulatorProcess(Self.command(folder)))
        try expectEqual(caller.app(.get, "/photos/1").json?["function"], "Photos")
        let changed = Self.app.replacing("/photos/{id}", with: "/pictures/{id}")
        try folder.replace("app/template.yaml", with: Array(changed.utf8))
        #expect(
            try eventually {
                try caller.app(.get, "/pictures/1").json?["function"] == "Photos"
            })
        try expectEqual(caller.app(.get, "/auth/me").json?["function"], "Check")
    }

    @Test(arguments: [
        ("Photos:", "Check:", "the function Check is in ", "FunctionName"),
        (
            "Resources:", "Resources:\n  first: {Type: AWS::Serverless::SimpleTable}",
            "the table first is in ", "TableName"
        ),
    ])
    func `a name used by two templates is an error with both positions`(
        text: String, other: String, message: String, property: String
    ) throws {
        let folder = try Self.folder(app: Self.app.replacing(text, with: other))
        let result = try ChildProcess.run(Self.command(folder))
        expectEqual(result.end, .exit(1))
        let error = result.errorText
        #expect(error.contains(message + folder.file("auth.yaml") + ":"), "\(error)")
        #expect(error.contains("\(folder.file("app/template.yaml")):"), "\(error)")
        #expect(error.contains("another \(property)"), "\(error)")
    }

    @Test func `a parameter that no template has is an error`() throws {
        let result = try ChildProcess.run(
            Self.command(try Self.folder(), ["--parameter", "Wort=x"]))
        expectEqual(result.end, .exit(1))
        #expect(
            result.errorText.contains(
                "--parameter Wort: no template has this parameter. Parameters: Word, Table"),
            "\(result.errorText)")
    }

    @Test func `a section of the environment file is for the function of that name`() throws {
        let named = Self.app.replacing("Photos:", with: "Check:")
            .replacing("CodeUri: ../code/", with: "CodeUri: ../code/\n      FunctionName: Photos")
        func folder(_ section: String) throws -> TemporaryFolder {
            let folder = try Self.folder(app: named)
            try folder.write(Array("[\(section)]\nWORD=secret\n".utf8), to: "env")
            return folder
        }
        let first = try folder("Check")
        let caller = EmulatorClient(
            try EmulatorProcess(Self.command(first, ["--env-file", first.file("env")])))
        try expectEqual(caller.invoke("Check", "{}").json?["word"], "secret")
        try expectEqual(caller.invoke("Photos", "{}").json?["word"], "none")
        // Two functions have this logical ID, and none has this name.
        let other = Self.auth.replacing(
            "CodeUri: code/", with: "CodeUri: code/\n      FunctionName: A")
        let second = try folder("Check")
        try second.replace("auth.yaml", with: Array(other.utf8))
        let result = try ChildProcess.run(Self.command(second, ["--env-file", second.file("env")]))
        expectEqual(result.end, .exit(1))
        #expect(
            result.errorText.contains(
                "\(second.file("env")):1: there are 2 functions Check. Functions: A, Photos"),
            "\(result.errorText)")
    }

    @Test func `an event can be created for a function of any template`() throws {
        let folder = try Self.folder()
        let made = try ChildProcess.run(
            EmulatorProcess.command([
                "event", "Photos", "listed", "--events", folder.file("events"),
                "--template", folder.file("auth.yaml"),
                "--template", folder.file("app/template.yaml"),
            ]))
        expectEqual(made.end, .exit(0), "\(made.errorText)")
        #expect(made.errorText.contains("GET /photos"), "\(made.errorText)")
    }
}
