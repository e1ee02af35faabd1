import AuthTestSupport
import TestSupport

/// `latchkey admin`, as an operator types it, on the store and against a server.
@Suite("latchkey admin", .serialized, .hangLimit)
struct AdminCommandTests {
    private static let settings = [
        (
            name: "ADMIN_PASSWORD_HASH",
            value: "$argon2id$v=19$m=8,t=1,p=1$bGF0Y2hrZXkgZXhhbXBsZQ$"
                + "S98W7zt14jyU9Q1jzWNDQIoLVJqiVtNigBTKewZgU7w"
        )
    ]
    private static let id = "00000000-0000-4000-8000-000000000000"

    private func run(
        _ deployment: Deployment, _ arguments: String..., token: String? = nil
    ) throws -> ProcessResult {
        var command = deployment.eventless("latchkey")
        command.arguments = ["admin"] + arguments
        if let token { command.environment.append((name: "LATCHKEY_TOKEN", value: token)) }
        return try ChildProcess.run(command)
    }

    private func document(_ result: ProcessResult) throws -> JSON {
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        return try JSON.parse(Array(result.text.utf8), limits: .event)
    }

    private func expectRefusal(
        _ result: ProcessResult, _ status: Int32, _ words: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(result.end == .exit(status), "\(result.errorText)", sourceLocation: location)
        #expect(result.errorText.contains(words), "\(result.errorText)", sourceLocation: location)
    }

    @Test func `the operator administers directly on the store, with a reason in the log`() throws {
        let deployment = try Deployment(Self.settings)
        let session = try deployment.signIn()
        let user = session.user.text
        let listed = try run(deployment, "users", "list", "--json")
        try expectEqual(document(listed)["users"]?.arrayValue?.count, 1)
        expectRefusal(try run(deployment, "users", "disable", user), 2, "--reason")
        let disabled = try run(
            deployment, "users", "disable", user, "--reason", "Ticket 7", "--json")
        try expectEqual(document(disabled)["isDisabled"], true)
        let log = try run(deployment, "audit", "show", "--user", user, "--json")
        let event = try #require(try document(log)["events"]?.arrayValue?.first)
        expectEqual(event["by"], "operator")
        expectEqual(event["reason"], "Ticket 7")
        let enabled = try run(deployment, "users", "enable", user, "--reason", "Ticket 7")
        #expect(enabled.text.hasPrefix("Enabled: ") && enabled.text.hasSuffix(" \(user)\n"))
        expectRefusal(
            try run(deployment, "users", "list", "--search", "b"), 2, "at least 2 characters")
        let table = try run(deployment, "users", "list")
        #expect(table.text.hasPrefix("id") && table.text.contains(user), "\(table.text)")
    }

    @Test func `users are imported from lines, and the rest is reported`() throws {
        let deployment = try Deployment(Self.settings)
        _ = try deployment.signIn()
        let hash = "$2b$05$FBcnei2zbz9qBT/1x6XOteuAKhVehectWgDbWd52Pk8Qqc2nibTHa"
        let users = ["", #","createdAt":"2024-05-01T12:00:00Z""#, #","createdAt":1717171717171"#]
            .enumerated().map { #"{"email":"\#($0)@a.example","passwordHash":"\#(hash)"\#($1)}"# }
        let text = (users + ["", "{}"]).joined(separator: "\n")
        try deployment.folder.write(Array(text.utf8), to: "users")
        var command = deployment.eventless("latchkey")
        command.arguments = ["import", "users", deployment.folder.file("users")]
        for outcome in ["imported: 2, unchanged: 0", "imported: 0, unchanged: 2"] {
            let result = try ChildProcess.run(command)
            expectRefusal(result, 1, outcome)
            #expect(result.errorText.contains("line 3: not imported: createdAt is in the future"))
            #expect(result.errorText.contains("line 5: not imported: email or passwordHash"))
        }
    }

    @Test func `the operator invites the first administrator, and sets roles`() throws {
        let deployment = try Deployment(
            Self.settings + [("ISSUER", "https://auth.example.com"), ("UI", "on")])
        let user = try deployment.signIn().user.text
        let invited = try run(deployment, "invite")
        #expect(
            invited.end == .exit(0)
                && invited.text.contains("https://auth.example.com/admin/ui/first?token="),
            "\(invited.text)\(invited.errorText)")
        func role(_ role: String) throws -> ProcessResult {
            try run(deployment, "users", "role", user, role, "--reason", "Ticket 7")
        }
        try expectEqual(role("administrator").end, .exit(0))
        let shown = try document(run(deployment, "users", "show", user, "--json"))
        expectEqual(shown["users"]?.arrayValue?.first?["role"], "administrator")
        expectRefusal(try run(deployment, "invite"), 1, "an account has a role already")
        try expectEqual(role("none").end, .exit(0))
        // Only the server has the password, by its service manager.
        let smtp = deployment.with("MAIL_URL", "smtp://a@b.test").with("MAIL_FROM", "a@b.test")
        expectEqual(try run(smtp, "invite").end, .exit(0))
        expectRefusal(try role("king"), 2, "role")
        expectRefusal(
            try run(deployment, "invite", "--url", "http://127.0.0.1:1", token: "x"), 2,
            "run it there")
    }

    @Test func `the operator makes an account, whose owner gets a mail`() throws {
        let deployment = try Deployment(
            Self.settings + [("ISSUER", "https://auth.example.com"), ("UI", "on")])
        _ = try deployment.signIn()
        func create(_ address: String) throws -> ProcessResult {
            try run(deployment, "users", "create", address, "--name", "Grace", "--reason", "7")
        }
        let made = try create("grace@example.com")
        #expect(made.text.hasPrefix("Created; "), "\(made.text)\(made.errorText)")
        let shown = try document(run(deployment, "users", "show", "grace@example.com", "--json"))
        expectEqual(shown["users"]?.arrayValue?.first?["displayName"], "Grace")
        expectRefusal(try create("grace@example.com"), 1, "EMAIL_TAKEN")
        expectRefusal(try create("grace"), 1, "email")
    }

    @Test func `the exit status depends on the kind of error`() throws {
        let deployment = try Deployment(Self.settings)
        _ = try deployment.signIn()
        expectRefusal(try run(deployment, "users", "fly"), 2, "the actions of users are list, ")
        expectRefusal(try run(deployment, "user", "list"), 2, "did you mean users list?")
        expectRefusal(try run(deployment, "users", "show"), 2, "needs other operands")
        expectRefusal(try run(deployment, "users", "show", Self.id), 3, "there is no user")
        expectRefusal(try run(deployment, "users", "delete", Self.id, "--reason", "x"), 2, "--yes")
        expectRefusal(
            try run(deployment, "users", "delete", Self.id, "--reason", "x", "--yes"), 3,
            "there is no user")
        expectRefusal(
            try run(deployment, "users", "list", "--url", "http://127.0.0.1:1"), 2,
            "the access token is missing")
        expectRefusal(
            try run(deployment, "users", "list", "--url", "http://127.0.0.1:1", token: "x"), 4,
            "does not answer")
    }

    @Test func `an administrator administers through a server`() throws {
        let deployment = try Deployment(
            Self.settings + [(name: "ISSUER", value: "https://auth.example.com")])
        let (ada, grace) = (try deployment.signIn(), try deployment.signIn("grace"))
        let store = try deployment.store()
        let row = try #require(try store.get(StoreLayout.profile(ada.user)))
        let owner = try UserRecord.user(row, id: ada.user)
        try store.write([UserRecord.replacing(owner) { $0.adminRole = .administrator }])
        let server = try HTTPProcess("latchkey", in: deployment)
        defer { _ = server.end() }
        let url = "http://127.0.0.1:\(server.port)"
        let listed = try run(
            deployment, "sessions", "list", grace.user.text, "--url", url, "--json",
            token: ada.accessToken)
        let sessions = try document(listed)["sessions"]?.arrayValue
        expectEqual(sessions?.first?["id"], .string(grace.session.text))
        func end() throws -> ProcessResult {
            try run(
                deployment, "sessions", "end", grace.user.text, grace.session.text, "--url", url,
                "--reason", "Ticket 7", token: ada.accessToken)
        }
        expectEqual(try end().text, "Done.\n")
        #expect(try deployment.family(of: grace) == nil)
        expectRefusal(try end(), 3, "SESSION_NOT_FOUND")
        let log = try run(
            deployment, "audit", "show", "--user", grace.user.text, "--url", url, "--json",
            token: ada.accessToken)
        let event = try #require(try document(log)["events"]?.arrayValue?.first)
        expectEqual(event["type"], "sessionRevoked")
        expectEqual(event["by"], .string(ada.user.text))
        expectEqual(event["reason"], "Ticket 7")
    }

    @Test func `grants are listed and ended`() throws {
        let deployment = try Deployment(
            Self.settings + [
                (name: "ISSUER", value: "https://auth.example.com"), (name: "UI", value: "on"),
                (name: "OAUTH", value: "on"), (name: "OAUTH_CLIENT_DOCUMENTS", value: "on"),
            ])
        let user = try deployment.signIn().user
        let consent = ConsentRecord(
            client: "https://app.example.com/id", scope: ["openid"], resources: [],
            givenAt: Instant(seconds: 1_000), description: nil, clientEpoch: 0)
        let forever = Instant(seconds: 9_000_000_000)
        try deployment.store().write(
            [.put(consent.item(of: user, expiresAt: forever), when: [])]
                + consent.listing(of: user, replacing: nil, expiresAt: forever))
        let ofUser = try run(deployment, "grants", "list", "--user", user.text, "--json")
        let found = try document(ofUser)["applications"]?.arrayValue
        expectEqual(found?.map { $0["client_id"] }, [.string(consent.client)])
        func users() throws -> [JSON?]? {
            let listed = try run(deployment, "grants", "list", "--client", consent.client, "--json")
            return try document(listed)["users"]?.arrayValue?.map { $0["id"] }
        }
        try expectEqual(users(), [.string(user.text)])
        func end() throws -> ProcessResult {
            try run(deployment, "grants", "end", user.text, consent.client, "--reason", "Ticket 7")
        }
        expectEqual(try end().text, "Done.\n")
        try expectEqual(users(), [])
        expectRefusal(try end(), 3, "APPLICATION_NOT_FOUND")
        expectEqual(try run(deployment, "grants", "list", "--user", user.text).text, "None.\n")
        expectRefusal(try run(deployment, "grants", "list"), 2, "needs other operands or flags")
    }

    @Test func `a server refuses a token that is not an administrator's`() throws {
        let deployment = try Deployment(Self.settings)
        let server = try HTTPProcess("latchkey", in: deployment)
        defer { _ = server.end() }
        let url = "http://127.0.0.1:\(server.port)"
        expectRefusal(try run(deployment, "users", "list", "--url", url, token: "x"), 1, "401")
    }
}
