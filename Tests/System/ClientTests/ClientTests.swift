import TestSupport
import Testing

/// Clients that others wrote, against a running emulator. Each has an emulator of its own.
@Suite("Judges")
struct ClientTests {
    private static let storage = ClientScript.path("Templates/storage.json")
    /// A second route of a function may not wait for the first because of the gateway's limits,
    /// which are not what is judged.
    private static let unthrottled = [
        (from: "\"ThrottlingBurstLimit\": 100", to: "\"ThrottlingBurstLimit\": 5000"),
        (from: "\"ThrottlingRateLimit\": 50", to: "\"ThrottlingRateLimit\": 5000"),
    ]

    /// The storage role hands out sessions to tokens of ours instead of the function's own role.
    private static let federated = [
        (
            from: #""AWS": {"Fn::GetAtt": ["CredentialsRole", "Arn"]}},"#
                + #""Action": ["sts:AssumeRole","#,
            to: #""Federated": {"Fn::Join": ["oidc-provider/",["#
                + #"{"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:"},"#
                + #"{"Fn::Select": [1,{"Fn::Split": ["//",{"Ref": "Issuer"}]}]}]]}},"#
                + #""Action": ["sts:AssumeRoleWithWebIdentity","#
        )
    ]

    @Test(arguments: [
        "dynamodb_tables.py", "dynamodb_items.py", "dynamodb_transactions.py", "s3.py", "sts.py",
        "ses.py", "oauth.py",
    ])
    func `services of the world are as their clients expect`(script: String) throws {
        try ClientScript(script: script).judge(EmulatorProcess(template: Self.storage))
    }

    @Test func `boto3 is refused by a strict emulator what its keys do not allow`() throws {
        try ClientScript(script: "dynamodb_strict.py")
            .judge(EmulatorProcess(template: Self.storage, ["--strict"]))
    }

    @Test(arguments: ["invoke.py", "runtime.py", "cli.py"])
    func `functions in Python run, and are invoked`(script: String) throws {
        let python = VirtualEnvironment.program("python")
        let emulator = try EmulatorProcess(
            template: ClientScript.path("Templates/functions.json"),
            ["--parameter", "Python=\(python)"])
        try ClientScript(script: script).judge(emulator)
    }

    @Test func `an app signs people in, verifies their tokens and stores their files`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "latchkey.py").judge(EmulatorProcess(template: template.path))
    }

    @Test func `the same app gets its storage for a token of ours`() throws {
        let template = try BuiltTemplate("latchkey", changes: Self.federated)
        // Signing tokens for STS takes the master key, which the template does not give this function.
        let masterKey = String(repeating: "k", count: 40)
        try template.folder.write(
            Array("STORAGE_CREDENTIALS=web-identity\nMASTER_KEY=\(masterKey)\n".utf8), to: "env")
        let emulator = try EmulatorProcess(
            template: template.path, ["--env-file", template.folder.file("env")])
        try ClientScript(script: "latchkey.py").judge(emulator)
    }

    @Test func `photolala's function is invoked from boto3`() throws {
        let template = try BuiltTemplate("photolala")
        let emulator = try EmulatorProcess(
            template: template.path,
            [
                "--parameter", "AppleClientIds=com.example.app",
                "--parameter", "GoogleClientIds=client.apps.googleusercontent.com",
            ])
        try ClientScript(script: "photolala.py").judge(emulator)
    }

    @Test func `every answer of the latchkey routes is as its OpenAPI document says`() throws {
        let template = try BuiltTemplate("latchkey", changes: Self.unthrottled)
        // Guesses at the administrator's password are limited together, whatever their addresses.
        try template.folder.write(
            Array("TRUSTED_HOPS=1\nRATE_LIMITS=adminLogin.overall=off\n".utf8), to: "env")
        let emulator = try EmulatorProcess(
            template: template.path, ["--env-file", template.folder.file("env")])
        try ClientScript(script: "openapi.py").judge(emulator)
    }
}
