import BaseTestSupport
import Foundation

/// A function of Latchkey that invokes a function of the application, both in one template.
@Suite("Hooks in the emulator", .serialized, .hangLimit)
struct HookTests {
    /// Refuses guests of the app `Blocked`.
    private static let code = """
        def handler(event, context):
            agent = event["client"].get("userAgent", "")
            if event["hook"] != "beforeSignIn" or agent == "Broken":
                raise ValueError(agent)
            if agent == "Blocked":
                return {"decision": "refuse", "reason": "blocked_app"}
            return {"decision": "allow"}
        """

    private static func template(_ executables: String) -> String {
        """
        Transform: AWS::Serverless-2016-10-31
        Resources:
          Table:
            Type: AWS::DynamoDB::Table
            Properties:
              BillingMode: PAY_PER_REQUEST
              AttributeDefinitions:
                - {AttributeName: pk, AttributeType: S}
                - {AttributeName: sk, AttributeType: S}
              KeySchema:
                - {AttributeName: pk, KeyType: HASH}
                - {AttributeName: sk, KeyType: RANGE}
          guest:
            Type: AWS::Serverless::Function
            Properties:
              CodeUri: \(executables)
              Runtime: provided.al2023
              Handler: guest
              Timeout: 20
              MemorySize: 256
              Policies:
                - Version: "2012-10-17"
                  Statement:
                    - {Effect: Allow, Action: "dynamodb:*", Resource: !GetAtt Table.Arn}
                    - {Effect: Allow, Action: "lambda:InvokeFunction", Resource: !GetAtt Check.Arn}
              Environment:
                Variables:
                  STORE: !Sub "dynamodb:${Table}"
                  ISSUER: https://auth.example.com
                  MASTER_KEY: bWFzdGVyIGtleSBvZiBhIHRlc3QsIDMyIGJ5dGVzIG9yIG1vcmU=
                  HOOKS: !Sub "beforeSignIn=function:${Check}"
                  HOOK_MILLISECONDS_MAX: "5000"
              Events:
                Guest: {Type: HttpApi, Properties: {Method: POST, Path: /auth/guest}}
          Check:
            Type: AWS::Serverless::Function
            Properties: {CodeUri: code/, Runtime: python3.13, Handler: app.handler, Timeout: 20}
        """
    }

    private static func start() throws -> EmulatorProcess {
        let executables = URL(filePath: BuiltExecutables.path(of: "guest"))
            .deletingLastPathComponent().path(percentEncoded: false)
        let folder = try TemporaryFolder()
        try folder.makeFolder("code")
        try folder.write(Array(code.utf8), to: "code/app.py")
        try folder.write(Array(template(executables).utf8), to: "template.yaml")
        var command = EmulatorProcess.serving(["--ephemeral", "--strict"]).working(in: folder)
        command.folder = folder
        return try EmulatorProcess(command)
    }

    @Test func `the hook is invoked with permission, and its call is in the trace`() throws {
        let emulator = try Self.start()
        let caller = EmulatorClient(emulator)
        func guest(_ agent: String) throws -> HTTPResponse {
            try caller.app(
                .post, "/auth/guest", "{}",
                headers: [("Content-Type", "application/json"), ("User-Agent", agent)])
        }
        let allowed = try guest("App")
        expectEqual(allowed.status, 201, "\(allowed.text)\n\(emulator.log)")
        let refused = try guest("Blocked")
        #expect(refused.status == 403 && refused.json?["error"]?["reason"] == "blocked_app")
        let failed = try guest("Broken")
        #expect(failed.status == 503 && failed.json?["error"]?["code"] == "HOOK_UNAVAILABLE")
        #expect(emulator.log.contains("Check"))
    }
}
