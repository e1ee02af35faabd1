import Contracts
import Foundation
import TestSupport

/// Third-party clients against a running emulator. Each test has its own emulator.
@Suite("Third-party clients", .blocking)
struct ClientTests {
    private static let storage = ClientScript.path("Templates/storage.json")
    /// Without throttling, because these tests do not test the gateway's limits.
    private static let unthrottled = [
        (from: "\"ThrottlingBurstLimit\": 700", to: "\"ThrottlingBurstLimit\": 5000"),
        (from: "\"ThrottlingRateLimit\": 100", to: "\"ThrottlingRateLimit\": 5000"),
    ]

    /// A function without routes has no providers in the emulator's part of its template.
    private static let photolalaParameters = [
        "--parameter", "AppleClientIds=com.example.app",
        "--parameter", "GoogleClientIds=client.apps.googleusercontent.com",
    ]

    /// The storage role trusts Latchkey's tokens instead of the function's role.
    private static let federated = [
        (
            from: #""AWS": [{"Fn::GetAtt": ["CredentialsRole", "Arn"]},"#
                + #"{"Fn::GetAtt": ["DeleteAccountFunctionRole", "Arn"]},"#
                + #"{"Fn::GetAtt": ["HousekeepingFunctionRole", "Arn"]},"#
                + #"{"Fn::GetAtt": ["MergeFunctionRole", "Arn"]}]},"#
                + #""Action": ["sts:AssumeRole","#,
            to: #""Federated": {"Fn::Join": ["oidc-provider/",["#
                + #"{"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:"},"#
                + #"{"Fn::Select": [1,{"Fn::Split": ["//",{"Ref": "Issuer"}]}]}]]}},"#
                + #""Action": ["sts:AssumeRoleWithWebIdentity","#
        )
    ]

    @Test(arguments: [
        "sts.py", "ssm.py", "ses.py", "ses_v1.py", "missing.py", "oauth.py", "idp.py",
        "idp_control.py", "lists.py", "faults.py",
    ])
    func `services work with their clients`(script: String) throws {
        try ClientScript(script: script).check(EmulatorProcess(template: Self.storage))
    }

    @Test(arguments: ["invoke.py", "runtime.py", "cli.py"])
    func `functions in Python can be invoked`(script: String) throws {
        let python = try VirtualEnvironment.program("python")
        let emulator = try EmulatorProcess(
            template: ClientScript.path("Templates/functions.json"),
            ["--parameter", "Python=\(python)"])
        try ClientScript(script: script).check(emulator)
    }

    /// The SAM CLI is installed without its dependencies: only its event builder and its samples
    /// are used.
    @Test func `events have the same fields as events of the SAM CLI`() throws {
        let emulator = try EmulatorProcess(
            template: ClientScript.path("Templates/events.json"),
            ["--parameter", "Python=\(try VirtualEnvironment.program("python"))"])
        try ClientScript(script: "events.py").check(emulator)
    }

    @Test func `an app signs users in, verifies their tokens and stores their files`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "latchkey.py").check(EmulatorProcess(template: template.path))
    }

    /// The emulator's issuer is an address of this machine, so that the RP ID is `localhost`.
    @Test func `a browser signs up, signs in and changes passkeys`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "passkey_browser.py").check(
            EmulatorProcess(template: template.path))
    }

    @Test func `an app that requires https can sign in`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "https.py").check(
            EmulatorProcess(
                template: template.path,
                ["--tls", "--tls-port", "0", "--aws-tls-port", "0", "--strict"]))
    }

    /// With the policies of the template, which let every function count proofs.
    @Test func `an app binds its tokens to a key`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "dpop.py").check(
            EmulatorProcess(template: template.path, ["--strict", "--parameter", "Dpop=optional"]))
    }

    /// With the policies of the template.
    @Test func `an app signs users in with passkeys`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "passkeys.py").check(
            EmulatorProcess(template: template.path, ["--strict"]))
    }

    @Test func `the same app gets storage credentials with a web identity token`() throws {
        let template = try BuiltTemplate("latchkey", changes: Self.federated)
        // The function needs the master key to sign tokens for STS, which the template does not
        // configure.
        let masterKey = String(repeating: "k", count: 40)
        try template.folder.write(
            Array("STORAGE_CREDENTIALS=web-identity\nMASTER_KEY=\(masterKey)\n".utf8), to: "env")
        let emulator = try EmulatorProcess(
            template: template.path, ["--env-file", template.folder.file("env")])
        try ClientScript(script: "latchkey.py").check(emulator)
    }

    @Test func `photolala's function is invoked from boto3`() throws {
        let template = try BuiltTemplate("photolala")
        let emulator = try EmulatorProcess(template: template.path, Self.photolalaParameters)
        try ClientScript(script: "photolala.py").check(emulator)
    }

    @Test(arguments: Contract.names.filter(isDocumented))
    func `every response matches the OpenAPI document of the contract`(contract: String) throws {
        var settings = "TRUSTED_HOPS=1\n"
        // Guesses of the administrator's password have a common limit for all addresses.
        if ["latchkey", "news_app"].contains(contract) {
            settings += "RATE_LIMITS=adminLogin.overall=off\n"
        }
        var (template, arguments) = try Self.strict(contract)
        if contract == "latchkey" {
            arguments += Self.passkeyParameters
            settings += Self.providerSettings
        }
        try template.folder.write(Array(settings.utf8), to: "env")
        let environment = ["--env-file", template.folder.file("env")]
        try ClientScript(script: "openapi.py", environment: [("CONTRACT", contract)])
            .check(EmulatorProcess(template: template.path, arguments + environment))
    }

    /// The programs of `openapi_provider.py`.
    private static let providerSettings = """
        UI=on
        OAUTH=on
        REVOCATIONS=on
        OAUTH_REGISTRATION=open
        OAUTH_CLIENTS=[{"client_id": "tool", "redirect_uris": ["http://127.0.0.1/back"], \
        "grant_types": ["authorization_code", "refresh_token", \
        "urn:ietf:params:oauth:grant-type:device_code"], "first_party": true}, \
        {"client_id": "shelf", "client_secret": "a-secret-that-everybody-may-know", \
        "token_endpoint_auth_method": "client_secret_post", "grant_types": [], \
        "resource": "https://photos.example.com/"}]
        OAUTH_RESOURCES=[{"resource": "https://photos.example.com/", "name": {"en": "Photos"}}]

        """

    /// Something for each document that clients read.
    private static let passkeyParameters = [
        "--parameter", "PasskeyOrigins=https://localhost,https://example.com",
        "--parameter", "PasskeyAppleApps=ABCDE12345.com.example.app",
        "--parameter",
        "PasskeyAndroidApps=com.example.app="
            + Array(repeating: "0A", count: 32).joined(separator: ":"),
    ]

    private static func isDocumented(_ contract: String) -> Bool {
        exists("Functions/Templates/\(contract).openapi.json")
    }

    private static func isOfSeed(_ contract: String) -> Bool {
        exists("Tests/System/ClientTests/Clients/seeds/\(contract).json")
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: RepositoryRoot.url.appending(path: path).path)
    }

    @Test(arguments: Contract.names.filter(isOfSeed))
    func `the requests of the seeds work as they are written`(contract: String) throws {
        let (template, arguments) = try Self.strict(contract)
        try ClientScript(script: "seeds.py", environment: [("CONTRACT", contract)])
            .check(EmulatorProcess(template: template.path, arguments))
    }

    /// `me` behind API Gateway's own authorizer, as docs/deploying.md shows it.
    private static let jwtAuthorizer = [
        (
            from: #""Authorizers": {"#,
            to: #""Authorizers": {"Latchkey": {"#
                + #""IdentitySource": "$request.header.Authorization","#
                + #""JwtConfiguration": {"issuer": {"Ref": "Issuer"},"audience": ["latchkey"]}},"#
        ),
        (
            from: #""Path": "/auth/me","#,
            to: #""Path": "/auth/me","Auth": {"Authorizer": "Latchkey"},"#
        ),
    ]

    @Test(arguments: ["ES256", "RS256"])
    func `API Gateway's JWT authorizer accepts only RS256`(algorithm: String) throws {
        let template = try BuiltTemplate("latchkey", changes: Self.jwtAuthorizer)
        try ClientScript(script: "jwt_authorizer.py", environment: [("ALGORITHM", algorithm)])
            .check(
                EmulatorProcess(
                    template: template.path,
                    ["--strict", "--parameter", "JwtAlgorithm=\(algorithm)"]))
    }

    private static let webApps = "https://app.example.com,http://localhost:5173"

    /// API Gateway answers preflights itself, and replaces the CORS headers of the functions.
    @Test(arguments: Contract.names.filter(hasRoutes))
    func `a web app of another origin can use every route of the template`(contract: String) throws
    {
        let (template, arguments) = try Self.strict(contract)
        try ClientScript(script: "browser.py", environment: [("CONTRACT", contract)]).check(
            EmulatorProcess(
                template: template.path,
                arguments + ["--parameter", "AllowedOrigins=\(Self.webApps)"]))
    }

    @Test(arguments: Contract.names.filter(hasRoutes))
    func `a web app of another origin can use every route of the server`(contract: String) throws {
        let server = BuiltExecutables.path(of: "latchkey")
        try ClientScript(
            script: "browser.py", environment: [("CONTRACT", contract), ("SERVER", server)]
        ).check(EmulatorProcess.shared())
    }

    private static func hasRoutes(_ contract: String) -> Bool {
        exists("Functions/Templates/\(contract).json") && contract != "photolala"
    }

    /// A contract's template, and the arguments of an emulator that enforces its policies.
    private static func strict(_ contract: String) throws -> (BuiltTemplate, [String]) {
        let hasRoutes = contract != "photolala"
        return (
            try BuiltTemplate(contract, changes: hasRoutes ? unthrottled : []),
            ["--strict"] + (hasRoutes ? [] : photolalaParameters)
        )
    }

    /// Checks the release executables, which `make test` builds before.
    @Test(.enabled(if: BuiltExecutables.directory != nil))
    func `the bill of materials is valid and lists the linked components`() throws {
        try ClientScript(script: "bill_of_materials.py").check(EmulatorProcess.shared())
    }

    /// Needs `simulate`, too, which only `make test` builds.
    @Test(.enabled(if: BuiltExecutables.directory != nil))
    func `every command block of the documents that can run here succeeds`() throws {
        let executables = try #require(BuiltExecutables.directory)
        try ClientScript(
            script: "document_commands.py", environment: [("EXECUTABLES", executables)]
        ).check(EmulatorProcess.shared())
    }

    @Test func `every OpenAPI document is valid, and the fixtures are as documented`() throws {
        let program = ("EMULATOR", BuiltExecutables.path(of: "emulator"))
        try ClientScript(script: "openapi_fixtures.py", environment: [program])
            .check(EmulatorProcess.shared())
    }

    @Test func `generators make clients of every OpenAPI document`() throws {
        let template = try BuiltTemplate("latchkey")
        try ClientScript(script: "openapi_generators.py")
            .check(EmulatorProcess(template: template.path))
    }
}
