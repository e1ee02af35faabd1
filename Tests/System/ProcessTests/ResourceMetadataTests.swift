import BaseTestSupport

/// `latchkey oauth resource-metadata`, with nothing beside the executable of the server.
@Suite("latchkey oauth resource-metadata", .hangLimit)
struct ResourceMetadataTests {
    private static let resources = """
        [{"resource": "https://photos.example.com/", "name": {"en": "Photos", "de": "Fotos"},
          "scopes": {"photos:read": {"en": "see your photos"}, "photos:write": {}}},
         {"resource": "https://tools.example.com/mcp", "dpop": true}]
        """
    private static let issuer = "https://auth.example.com/id"
    private static let settings = [("ISSUER", issuer), ("OAUTH_RESOURCES", resources)]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: [String], _ settings: [(String, String)] = []
    ) throws -> ProcessResult {
        var command = Command(BuiltExecutables.path(of: "latchkey"))
        command.arguments = ["oauth", "resource-metadata"] + arguments
        let store = ("STORE", "sqlite:\(folder.file("latchkey.db"))")
        command.environment = (settings + [store]).map { (name: $0.0, value: $0.1) }
        return try ChildProcess.run(command)
    }

    private func document(_ result: ProcessResult) throws -> JSON {
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        return try JSON.parse(Array(result.text.utf8), limits: .event)
    }

    @Test func `the document is made from OAUTH_RESOURCES`() throws {
        let photos = try run(["https://photos.example.com/"], Self.settings)
        try expectEqual(
            document(photos),
            [
                "resource": "https://photos.example.com/",
                "authorization_servers": [.string(Self.issuer)],
                "scopes_supported": ["photos:read", "photos:write"],
                "bearer_methods_supported": ["header"], "resource_name": "Photos",
                "resource_name#de": "Fotos",
            ])
        let less = try run(
            ["https://photos.example.com/", "--scope", "photos:read", "--name", "Album"],
            Self.settings)
        try expectEqual(document(less)["scopes_supported"], ["photos:read"])
        try expectEqual(document(less)["resource_name"], "Album")
        let tools = try run(["https://tools.example.com/mcp"], Self.settings)
        try expectEqual(
            document(tools),
            [
                "resource": "https://tools.example.com/mcp",
                "authorization_servers": [.string(Self.issuer)],
                "bearer_methods_supported": ["header"],
                "dpop_bound_access_tokens_required": true,
            ])
        try folder.write(Array(Self.resources.utf8), to: "resources.json")
        let file = try run(
            ["https://tools.example.com/mcp"],
            [("ISSUER", Self.issuer), ("OAUTH_RESOURCES", folder.file("resources.json"))])
        expectEqual(file.text, tools.text, "\(file.errorText)")
    }

    @Test func `without the setting, the document is made from the flags`() throws {
        let result = try run([
            "http://127.0.0.1:8000/mcp", "--issuer", "http://127.0.0.1:8080/id", "--scope",
            "tools:use", "--scope=notes:read notes:write", "--name", "Tools",
        ])
        try expectEqual(
            document(result),
            [
                "resource": "http://127.0.0.1:8000/mcp",
                "authorization_servers": ["http://127.0.0.1:8080/id"],
                "scopes_supported": ["tools:use", "notes:read", "notes:write"],
                "bearer_methods_supported": ["header"], "resource_name": "Tools",
            ])
        let other = try run(
            ["https://tools.example.com/mcp", "--issuer", "https://other.example.com"],
            Self.settings)
        try expectEqual(
            document(other)["authorization_servers"], ["https://other.example.com"])
        expectEqual(folder.names, [], "a file was created")
    }

    @Test(
        arguments: [
            ("https://tools.example.com/mcp", "/mcp"), ("https://tools.example.com", ""),
            ("https://tools.example.com/", ""), ("https://tools.example.com/a/b/", "/a/b/"),
            ("https://tools.example.com/mcp?x=1", "/mcp?x=1"),
            ("https://tools.example.com?x=1", "?x=1"), ("https://tools.example.com/?x=1", "?x=1"),
        ])
    func `standard error says where to serve it`(resource: String, path: String) throws {
        let result = try run([resource, "--issuer", Self.issuer])
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        let url = "https://tools.example.com/.well-known/oauth-protected-resource" + path
        #expect(result.errorText.contains("\n  \(url)\n"), "\(result.errorText)")
        let challenge = "WWW-Authenticate: Bearer resource_metadata=\"\(url)\""
        #expect(result.errorText.contains("\n  \(challenge)\n"), "\(result.errorText)")
    }

    @Test func `the help names the well-known address`() throws {
        let help = try run(["--help"])
        #expect(
            help.end == .exit(0)
                && help.text.contains("/.well-known/oauth-protected-resource/mcp"))
        expectEqual(help.errorText, "")
    }

    private static let wrong: [([String], Int32, String)] = [
        ([], 64, "URL is missing"), (["a", "b"], 64, "unexpected argument 'b'"),
        (["https://photos.example.com/", "--scopes"], 64, "unknown flag '--scopes'"),
        (["https://photos.example.com/", "--scope"], 64, "--scope needs a value"),
        (["photos"], 1, "'photos' is not a resource: it must be an https URL"),
        (["http://photos.example.com/"], 1, "it must be an https URL"),
        (["https://photos.example.com/#a"], 1, "without a fragment"),
        (["https://photos.example.com"], 1, "is not in OAUTH_RESOURCES, which has https://photos"),
        (
            ["https://photos.example.com/", "--scope", "photo:read"], 1,
            "did you mean photos:read?"
        ),
        (["https://photos.example.com/", "--issuer", "auth"], 1, "issuer must be an https URL"),
    ]

    @Test func `a mistake is reported in one line with the remedy`() throws {
        for (arguments, status, words) in Self.wrong {
            let result = try run(arguments, Self.settings)
            expectEqual(result.end, .exit(status), "\(arguments)")
            expectEqual(result.errorLines.count, 1, "\(result.errorText)")
            #expect(result.errorText.contains(words) && result.text.isEmpty, "\(result.errorText)")
        }
        let settings: [([(String, String)], String)] = [
            ([], "set ISSUER, or give --issuer"),
            ([("OAUTH_RESOURCES", "resources.json")], "the path of a file with one"),
            ([("OAUTH_RESOURCES", "[{\"resource\": \"x\"}]")], "OAUTH_RESOURCES: number 1"),
        ]
        for (settings, words) in settings {
            let result = try run(["https://photos.example.com/"], settings)
            expectEqual(result.end, .exit(1))
            #expect(
                result.errorLines.count == 1 && result.errorText.contains(words),
                "\(result.errorText)")
        }
    }
}
