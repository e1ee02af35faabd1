import BaseTestSupport
import Foundation

/// Runs every function with the policies of its template. Missing permissions fail here, surplus
/// ones in `TemplatePermissionTests`.
@Suite("Template flows", .serialized, .hangLimit, .onEveryStore)
struct TemplateFlowTests {
    private static let email: JSONObject = ["email": "ada@example.com"]

    // MARK: latchkey

    private static func latchkey() throws -> DeployedTemplate {
        try DeployedTemplate("latchkey", example: true)
    }

    private static func guarded(_ path: String) -> JSON {
        [
            "Type": "HttpApi",
            "Properties": [
                "ApiId": ["Ref": "Api"], "Method": "GET", "Path": .string(path),
                "PayloadFormatVersion": "2.0", "Auth": ["Authorizer": "SignedIn"],
            ],
        ]
    }

    private func signIn(_ deployed: DeployedTemplate) throws -> DeployedTemplate.Answer {
        try deployed.ask(
            .post, "/auth/signin",
            ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
    }

    @Test func `latchkey signs in, refreshes, lists and signs out`() throws {
        let deployed = try Self.latchkey()
        // A new account, with an issued nonce.
        let nonce = try deployed.ask(.post, "/auth/challenge").text("nonce")
        let first = try deployed.ask(
            .post, "/auth/signin",
            [
                "provider": "google", "nonce": .string(nonce),
                "idToken": try deployed.mint("google", ["nonce": .string(nonce)]),
            ])
        expectEqual(first.status, 200, "\(first.body.text)")
        // An unknown key id is cached.
        let unknown = try deployed.mint("google", ["fault": "unknown-kid"])
        let body: JSON = ["provider": "google", "idToken": unknown]
        try expectEqual(deployed.ask(.post, "/auth/signin", body).status, 401)
        // A new account and an existing one.
        let sessions = try (0..<4).map { _ in try signIn(deployed) }
        expectEqual(sessions.map(\.status), [200, 200, 200, 200])
        expectEqual(sessions.map { $0.body["isNewUser"] }, [true, false, false, false])
        let tokens = try sessions.map { try $0.text("accessToken") }

        let me = try deployed.ask(.get, "/auth/me", bearer: tokens[0])
        expectEqual(me.status, 200)
        let listed = try deployed.ask(.get, "/auth/sessions", bearer: tokens[0])
        let others = (listed.body["sessions"]?.arrayValue ?? []).filter { $0["current"] == false }
        expectEqual(others.count, 3, "\(listed.body.text)")
        let other = try #require(others.first?["id"]?.stringValue)
        let revoked = try deployed.ask(.delete, "/auth/sessions/\(other)", bearer: tokens[0])
        expectEqual(revoked.status, 204)
        let keys = try deployed.ask(.post, "/auth/credentials", bearer: tokens[0])
        expectEqual(keys.status, 200, "\(keys.body.text)")
        try expectEqual(deployed.ask(.get, "/.well-known/jwks.json").status, 200)
        try expectEqual(deployed.ask(.get, "/.well-known/openid-configuration").status, 200)

        for (scope, expected) in [("session", 200), ("others", 401), ("all", 401)] {
            // The first ends its own session, so it cannot end the others.
            let answer = try deployed.ask(
                .post, "/auth/signout", ["scope": .string(scope)], bearer: tokens[0])
            expectEqual(answer.status, expected, "\(scope): \(answer.body.text)")
        }
        let last = try signIn(deployed).text("accessToken")
        for scope in ["others", "all"] {
            let answer = try deployed.ask(
                .post, "/auth/signout", ["scope": .string(scope)], bearer: last)
            expectEqual(answer.status, 200, "\(scope): \(answer.body.text)")
        }
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: last).status, 401)
        expectEqual(deployed.denials, [])
    }

    @Test func `latchkey refreshes, and reuse ends the session`() throws {
        let deployed = try Self.latchkey()
        let session = try signIn(deployed)
        var token = try session.text("refreshToken")
        for _ in 0..<3 {
            let answer = try deployed.ask(.post, "/auth/refresh", ["refreshToken": .string(token)])
            expectEqual(answer.status, 200, "\(answer.body.text)")
            token = try answer.text("refreshToken")
        }
        let reused: JSON = ["refreshToken": .string(try session.text("refreshToken"))]
        try expectEqual(deployed.ask(.post, "/auth/refresh", reused).status, 401)
        let successor: JSON = ["refreshToken": .string(token)]
        try expectEqual(deployed.ask(.post, "/auth/refresh", successor).status, 401)
        expectEqual(deployed.denials, [])
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

    @Test func `whateat signs in, refreshes, authorises and signs out`() throws {
        let deployed = try DeployedTemplate("whateat") { resources in
            var function = try #require(resources["RefreshFunction"]?.objectValue)
            var properties = try #require(function["Properties"]?.objectValue)
            var events = try #require(properties["Events"]?.objectValue)
            events["Guarded"] = Self.guarded("/guarded")
            properties["Events"] = .object(events)
            function["Properties"] = .object(properties)
            resources["RefreshFunction"] = .object(function)
        }
        var tokens: [(access: String, refresh: String)] = []
        for _ in 0..<2 {
            let answer = try deployed.ask(
                .post, "/api/v1/auth/signin",
                ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
            expectEqual(answer.status, 200, "\(answer.body.text)")
            tokens.append((try answer.text("accessToken"), try answer.text("refreshToken")))
        }
        let refreshed = try deployed.ask(
            .post, "/api/v1/auth/refresh", ["refreshToken": .string(tokens[0].refresh)])
        expectEqual(refreshed.status, 200, "\(refreshed.body.text)")
        // The request passes the authorizer, but the function does not have the route.
        try expectEqual(deployed.ask(.get, "/guarded", bearer: tokens[1].access).status, 404)
        let left = try deployed.ask(.post, "/api/v1/auth/signout", bearer: tokens[1].access)
        expectEqual(left.status, 200, "\(left.body.text)")
        try expectEqual(deployed.ask(.get, "/guarded", bearer: tokens[1].access).status, 403)
        expectEqual(deployed.denials, [])
    }

    @Test func `photolala signs in and returns credentials`() throws {
        let deployed = try DeployedTemplate("photolala")
        for _ in 0..<2 {
            let answer = try deployed.invoke(
                "photolala-auth-signin",
                ["provider": "apple", "idToken": try deployed.mint("apple", Self.email)])
            expectEqual(answer.status, 200)
            #expect(answer.body["credentials"] != nil, "\(answer.body.text)")
        }
        expectEqual(deployed.denials, [])
    }

    @Test func `livlogios signs in, refreshes, reads the account and signs out`() throws {
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

    @Test func `news_app signs in, refreshes and reads the account`() throws {
        let deployed = try DeployedTemplate("news_app")
        func signIn(_ claims: JSONObject) throws -> DeployedTemplate.Answer {
            try deployed.ask(.post, "/auth/apple", ["id_token": try deployed.mint("apple", claims)])
        }
        let sessions = try (0..<3).map { _ in try signIn(Self.email) }
        expectEqual(sessions.map(\.status), [200, 200, 200], "\(sessions[0].body.text)")
        expectEqual(sessions.map { $0.body["user"]?["id"] }, [1, 1, 1])
        let token = try sessions[0].text("refresh_token")
        for _ in 0..<2 {
            let answer = try deployed.ask(.post, "/auth/refresh", ["refresh_token": .string(token)])
            expectEqual(answer.status, 200, "\(answer.body.text)")
            try expectEqual(answer.text("refresh_token"), token)
            let me = try deployed.ask(.get, "/auth/me", bearer: try answer.text("access_token"))
            expectEqual(me.body, sessions[0].body["user"], "\(me.body.text)")
        }
        // Administration.
        let bearer = try sessions[1].text("access_token")
        let cookie = try administrator(deployed)
        for query in ["", "?id=1", "?email=ada%40example.com"] {
            let list = try deployed.ask(.get, "/admin/users\(query)", cookie: cookie)
            expectEqual(list.body["users"]?.arrayValue?.count, 1, "\(query): \(list.body.text)")
        }
        for (method, action) in Self.changes {
            let answer = try deployed.ask(method, "/admin/users/1/\(action)", cookie: cookie)
            expectEqual(answer.status, 200, "\(action): \(answer.body.text)")
        }
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 401)
        try expectEqual(deployed.ask(.post, "/auth/admin/logout", cookie: cookie).status, 303)
        try expectEqual(deployed.ask(.get, "/admin/users", cookie: cookie).status, 303)
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

    private static let changes: [(HTTPRequest.Method, String)] = [
        (.put, "admin"), (.delete, "admin"), (.post, "disable"), (.post, "enable"),
        (.post, "signout"),
    ]

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

    @Test func `latchkey administers users, by the password and by a token`() throws {
        let deployed = try Self.latchkey()
        let (one, other) = (try signIn(deployed), try signIn(deployed))
        let id = try #require(one.body["user"]?["id"]?.stringValue)
        let cookie = try administrator(deployed)
        let made = try deployed.ask(
            .put, "/auth/users/\(id)/admin", ["password": "latchkey"], cookie: cookie)
        expectEqual(made.body["isAdmin"], true, "\(made.body.text)")
        let bearer = try other.text("accessToken")
        let stranger = try deployed.ask(
            .post, "/auth/signin",
            [
                "provider": "google",
                "idToken": try deployed.mint("google", ["email": "grace@example.com"]),
            ])
        let third = try #require(stranger.body["user"]?["id"]?.stringValue)
        for query in ["?limit=1", "?id=\(third)", "?email=ada%40example.com"] {
            let list = try deployed.ask(.get, "/auth/users\(query)", bearer: bearer)
            expectEqual(list.body["users"]?.arrayValue?.count, 1, "\(query): \(list.body.text)")
        }
        for (method, action) in Self.changes {
            let answer = try deployed.ask(method, "/auth/users/\(third)/\(action)", bearer: bearer)
            expectEqual(answer.status, 200, "\(action): \(answer.body.text)")
        }
        let token = try stranger.text("accessToken")
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: token).status, 401)
        // A new address moves the row in the index.
        let moved = try deployed.ask(
            .post, "/auth/signin",
            [
                "provider": "apple",
                "idToken": try deployed.mint("apple", ["email": "new@example.com"]),
            ])
        expectEqual(moved.status, 200, "\(moved.body.text)")
        expectEqual(deployed.denials, [])
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
