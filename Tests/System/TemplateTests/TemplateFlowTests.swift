import BaseTestSupport
import Foundation

/// Functions with the policies of their template, some beside the app of `Examples`. `openapi.py`
/// of ClientTests calls every route with these policies; surplus permissions fail in
/// `TemplatePermissionTests`.
@Suite("Template flows", .serialized, .hangLimit, .onEveryStore)
struct TemplateFlowTests {
    private static let email: JSONObject = ["email": "ada@example.com"]

    // MARK: latchkey

    private static func latchkey() throws -> DeployedTemplate {
        try DeployedTemplate("latchkey", example: true)
    }

    private func signIn(_ deployed: DeployedTemplate) throws -> DeployedTemplate.Answer {
        try deployed.signIn("apple", Self.email)
    }

    /// A content function responds with 401 and the same body as the sign-in functions, where the
    /// authorizer of an HTTP API responds with 403.
    @Test func `a content function verifies its requests itself`() throws {
        let deployed = try Self.latchkey()
        let token = try signIn(deployed).text("accessToken")
        let written = try deployed.ask(.post, "/notes", ["text": "Buy milk"], bearer: token)
        expectEqual(written.status, 201, "\(written.body.text)")
        let listed = try deployed.ask(.get, "/notes", bearer: token)
        expectEqual(listed.body["notes"]?.arrayValue?.first?["text"], "Buy milk")
        // A function of the app behind the authorizer of Latchkey's stack.
        let caller = try deployed.ask(.get, "/whoami", bearer: token)
        let known = try deployed.ask(.get, "/auth/me", bearer: token)
        expectEqual(caller.body["userId"], known.body["id"], "\(caller.body.text)")

        try expectEqual(deployed.ask(.post, "/auth/signout", bearer: token).status, 200)
        for bearer in [nil, "junk", token] {
            let me = try deployed.ask(.get, "/auth/me", bearer: bearer)
            let notes = try deployed.ask(.get, "/notes", bearer: bearer)
            expectEqual(notes.status, 401)
            expectEqual(notes.body, me.body)
            let challenge = notes.headers.value("www-authenticate")
            expectEqual(challenge?.hasPrefix("Bearer"), true)
            expectEqual(challenge, me.headers.value("www-authenticate"))
            let guarded = try deployed.ask(.get, "/whoami", bearer: bearer)
            expectEqual(guarded.status, bearer == nil ? 401 : 403)
        }
        expectEqual(deployed.denials, [])
    }

    // MARK: Other contracts

    @Test func `livlogios signs in, refreshes, knows the account and signs out`() throws {
        let deployed = try DeployedTemplate("livlogios")
        func signIn(_ claims: JSONObject) throws -> DeployedTemplate.Answer {
            try deployed.ask(
                .post, "/api/v1/auth/apple",
                ["identityToken": try deployed.mint("apple", claims), "authorizationCode": ""])
        }
        func refresh(_ token: String) throws -> DeployedTemplate.Answer {
            try deployed.ask(.post, "/api/v1/auth/refresh", ["refreshToken": .string(token)])
        }
        for _ in 0..<2 {
            let answer = try signIn(Self.email)
            expectEqual(answer.status, 200, "\(answer.body.text)")
        }
        let session = try signIn(Self.email)
        let (bearer, token) = try (session.text("accessToken"), session.text("refreshToken"))
        let refreshed = try refresh(token)
        expectEqual(refreshed.status, 200, "\(refreshed.body.text)")
        let me = try deployed.ask(.get, "/api/v1/auth/me", bearer: bearer)
        expectEqual(me.body["authProviders"], ["apple"], "\(me.body.text)")
        // A token that was replaced twice is reused: its session ends.
        let stolen = try signIn(Self.email).text("refreshToken")
        var next = stolen
        for _ in 0..<2 { next = try refresh(next).text("refreshToken") }
        try expectEqual(refresh(stolen).status, 401)
        try expectEqual(refresh(next).status, 401)

        let last = try refreshed.text("refreshToken")
        let body: JSON = ["refreshToken": .string(last)]
        try expectEqual(deployed.ask(.post, "/api/v1/auth/logout", body).status, 401)
        let left = try deployed.ask(.post, "/api/v1/auth/logout", body, bearer: bearer)
        #expect(left.status == 204 && left.body == .null, "\(left.body.text)")
        try expectEqual(refresh(last).status, 401)
        try expectEqual(deployed.ask(.get, "/api/v1/auth/me", bearer: bearer).status, 401)
        expectEqual(deployed.denials, [])
    }

    /// The routes of `Examples/news_app`, behind tokens and behind the cookie.
    @Test func `content routes of news_app get the user, and its pages the administrator`() throws {
        let deployed = try DeployedTemplate("news_app", example: true)
        let session = try deployed.ask(
            .post, "/auth/apple", ["id_token": try deployed.mint("apple", Self.email)])
        let bearer = try session.text("access_token")
        let other = try deployed.ask(
            .post, "/auth/apple",
            ["id_token": try deployed.mint("apple", ["sub": "001", "email": "b@example.com"])]
        ).text("access_token")
        func post(_ path: String, _ bearer: String?) throws -> DeployedTemplate.Answer {
            try deployed.ask(.post, "/api/content/\(path)", bearer: bearer)
        }
        for expected in [true, false, true] {
            let answer = try post("42/favorite", bearer)
            expectEqual(answer.body, ["content_id": 42, "is_favorited": .bool(expected)])
        }
        try expectEqual(post("42/favorite", other).body["is_favorited"], true)
        try expectEqual(post("42/read", bearer).body["is_read"], true)
        try expectEqual(post("42/unlike", bearer).body["is_unliked"], true)
        let known = try deployed.ask(.get, "/api/content/42", bearer: bearer)
        expectEqual(known.body, ["content_id": 42, "is_favorited": true, "is_read": true])
        try expectEqual(deployed.ask(.get, "/api/content/42", bearer: "junk").status, 401)
        for refused in [
            try post("42/favorite", nil), try post("42/read", nil), try post("42/unlike", nil),
            try deployed.ask(.get, "/api/content/42"), try deployed.ask(.get, "/api/content/x"),
        ] {
            expectEqual(refused.status, 401)
            expectEqual(refused.body, ["detail": "Not authenticated"])
        }
        let wrong = try post("x/favorite", bearer)
        expectEqual(wrong.status, 422)
        expectEqual(wrong.body["detail"]?.arrayValue?.first?["loc"], ["path", "content_id"])

        // A user's token opens no page.
        for (path, next) in [("/", ""), ("/admin/", "?next=%2Fadmin%2F")] {
            let page = try deployed.ask(.get, path, bearer: bearer)
            expectEqual(page.status, 303)
            expectEqual(page.headers.value("location"), "/auth/admin/login\(next)")
        }
        let cookie = try administrator(deployed)
        for path in ["/", "/admin/"] {
            try expectEqual(deployed.ask(.get, path, cookie: cookie).status, 200)
        }
        // Disabling a user ends all their sessions at once.
        try expectEqual(deployed.ask(.post, "/admin/users/1/disable", cookie: cookie).status, 200)
        try expectEqual(post("42/favorite", bearer).status, 401)
        expectEqual(deployed.denials, [])
    }

    /// The cookie of the administrator's password, which the template has for the emulator.
    private func administrator(_ deployed: DeployedTemplate) throws -> String {
        let page = try deployed.ask(.get, "/auth/admin/login?next=%2Fadmin%2F")
        #expect(page.status == 200 && page.body.text.contains("password"))
        try expectEqual(deployed.ask(.post, "/auth/admin/login", ["password": "wrong"]).status, 401)
        let opened = try deployed.ask(.post, "/auth/admin/login", ["password": "latchkey"])
        expectEqual(opened.status, 303, "\(opened.body.text)")
        let cookie = try #require(opened.headers.value("set-cookie"))
        return String(cookie.prefix { $0 != ";" })
    }

    /// `make run CONTRACT=…` prints them.
    @Test(arguments: Template.served) func `the example commands work`(name: String) throws {
        let files = try Template.served(byRunning: name)
        let commands = try files.flatMap { file in
            let template = try JSON.parse(try Repository.bytes(file), limits: .event)
            let examples = template["Metadata"]?["Emulator"]?["Try"]?.arrayValue ?? []
            return examples.compactMap { $0["command"]?.stringValue }
        }
        try #require(commands.count >= 2)
        let deployed = try DeployedTemplate(files: files, isStrict: false)
        let script = (["set -euo pipefail"] + commands).joined(separator: "\n")
            .replacing("{url}", with: deployed.emulator.appURL)
            .replacing("{awsUrl}", with: deployed.emulator.awsURL)
        let run = try Run.of(URL(filePath: "/bin/bash"), ["-c", script])
        expectEqual(run.status, 0, "\(run.output)")
        let members = [
            "latchkey": "secretAccessKey", "whateat": "expiresIn", "photolala": "user",
            "livlogios": "authProviders", "news_app": "apple_id", "shell": "refreshToken",
        ]
        if let member = members[name] {
            #expect(run.output.contains("\"\(member)\":"), "\(run.output)")
        }
        #expect(!run.output.contains("\"error\""), "\(run.output)")
    }

    /// A counter-check: with missing permissions a function fails and the emulator logs it.
    @Test func `a missing permission is detected`() throws {
        let deployed = try DeployedTemplate("latchkey", on: .dynamoDB) { resources in
            let text = JSON.object(resources).text.replacing("AUDIT#*", with: "NONE#*")
            resources = try #require(JSON.parse(Array(text.utf8), limits: .event).objectValue)
        }
        try expectEqual(signIn(deployed).status, 500)
        #expect(deployed.denials.contains { $0.contains("dynamodb:PutItem") })
    }
}
