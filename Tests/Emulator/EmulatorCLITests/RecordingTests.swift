import BaseTestSupport
import Foundation

/// Recordings of a running template, replayed without it.
@Suite("Recordings", .serialized, .hangLimit)
struct RecordingTests {
    /// Latchkey's own functions, with a minimal template.
    static func template(_ names: [String]) -> String {
        let executables = URL(filePath: BuiltExecutables.path(of: "signin"))
            .deletingLastPathComponent().path(percentEncoded: false)
        let functions = names.map { name in
            """
              \(name)Function:
                Type: AWS::Serverless::Function
                Properties:
                  CodeUri: \(executables)
                  Handler: \(name)
                  Runtime: provided.al2023
                  Timeout: 20
                  MemorySize: 512
                  Policies: [DynamoDBCrudPolicy: {TableName: !Ref Store}]
                  Environment:
                    Variables:
                      CONTRACT: latchkey
                      STORE: !Sub dynamodb:${Store}
                      MASTER_KEY: bWFzdGVyIGtleSBvZiBhIHJlcGxheSwgMzIgYnl0ZXMgb3IgbW9yZQ==
                      ISSUER: https://auth.example.com
                      APPLE_CLIENT_IDS: com.example.app
                      MAIL_URL: ses
                      MAIL_FROM: no-reply@example.com
                  Events:
                    Call: {Type: HttpApi, Properties: {Method: \(name == "me" ? "GET" : "POST"), \
                    Path: /auth/\(name)}}
            """
        }
        return """
            Resources:
              Store:
                Type: AWS::DynamoDB::Table
                Properties:
                  AttributeDefinitions:
                    - {AttributeName: pk, AttributeType: S}
                    - {AttributeName: sk, AttributeType: S}
                  KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: \
                  RANGE}]
            \(functions.joined(separator: "\n"))
            """
    }

    static func replay(_ folder: String) throws -> ProcessResult {
        let executables = URL(filePath: BuiltExecutables.path(of: "signin"))
            .deletingLastPathComponent().path(percentEncoded: false)
        return try ChildProcess.run(
            EmulatorProcess.command(["replay", folder, "--executables", executables]))
    }

    @Test func `existing settings are kept`() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array(Self.template(["signin"]).utf8), to: "template.yaml")
        try folder.makeFolder("recorded")
        try folder.write(Array(#"{"about":"mine"}"#.utf8), to: "recorded/settings.json")
        _ = try EmulatorProcess(
            EmulatorProcess.serving(["--ephemeral", "--record", "recorded"]).working(in: folder))
        try expectEqual(folder.read("recorded/settings.json"), Array(#"{"about":"mine"}"#.utf8))
    }
}

/// `emulator invoke` with a running emulator.
@Suite("emulator invoke", .serialized, .hangLimit)
struct InvokeTests {
    private static func project() throws -> (EmulatorProject, EmulatorProcess) {
        let project = try EmulatorProject([:], ["--mode", "cold", "--quiet"])
        for name in ["signin", "refresh"] {
            try project.folder.makeFolder(name)
            try project.folder.replace(
                "\(name)/bootstrap", withScript: #"cat > /dev/null; echo '"served \#(name)"'"#)
        }
        func function(_ name: String, _ more: JSONObject = [:]) -> JSON {
            JSONObject.function(project.folder.file(name), more: more)
        }
        try project.write([
            "SignInFunction": function("signin", ["FunctionName": "users-sign-in"]),
            "RefreshFunction": function("refresh"), "RefreshAgain": function("refresh"),
        ])
        return (project, try project.start())
    }

    private func invoke(
        _ name: String, _ emulator: EmulatorProcess, _ folder: TemporaryFolder
    ) throws -> ProcessResult {
        try folder.write(Array("{}".utf8), to: "event.json")
        return try ChildProcess.run(
            EmulatorProcess.command([
                "invoke", name, "--event", folder.file("event.json"), "--url", emulator.awsURL,
            ]))
    }

    @Test func `a function is found by its name, its logical ID and its executable`() throws {
        let (project, emulator) = try Self.project()
        for name in ["users-sign-in", "SignInFunction", "signin"] {
            let result = try invoke(name, emulator, project.folder)
            expectEqual(result.text, "\"served signin\"\n", "\(name): \(result.errorText)")
            expectEqual(result.end, .exit(0))
        }
        let several = try invoke("refresh", emulator, project.folder)
        expectEqual(
            several.errorText,
            "invoke: refresh is the executable of several functions: "
                + "RefreshAgain, RefreshFunction\n")
        let unknown = try invoke("signinn", emulator, project.folder)
        expectEqual(unknown.end, .exit(2))
        #expect(
            unknown.errorText.hasPrefix(
                "invoke: function not found: signinn; did you mean signin? "
                    + "Functions: RefreshAgain (refresh), RefreshFunction (refresh), "
                    + "users-sign-in (signin)\nThe emulator at \(emulator.awsURL) serves "))
    }

    @Test func `invoke can start a process on request`() throws {
        let folder = try TemporaryFolder()
        try folder.replace("mine", withScript: #"cat > /dev/null; echo '"by itself"'"#)
        try folder.write(Array("{}".utf8), to: "event.json")
        let event = ["--event", folder.file("event.json")]
        let result = try ChildProcess.run(
            EmulatorProcess.command(
                ["invoke", "mine", "--local", "--executables", folder.path] + event))
        expectEqual(result.text, "\"by itself\"\n", "\(result.errorText)")
        let both = try ChildProcess.run(
            EmulatorProcess.command(["invoke", "mine", "--local", "--url", "http://x"] + event))
        expectEqual(both.end, .exit(2))
        #expect(both.errorText.contains("--local and --url cannot be combined"))
    }
}
