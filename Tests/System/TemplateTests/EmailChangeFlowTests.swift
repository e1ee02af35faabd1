import BaseTestSupport

/// Another address for an account and the way back, through the deployed template.
@Suite("Email change flows", .serialized, .hangLimit, .onEveryStore)
struct EmailChangeFlowTests {
    private typealias Answer = DeployedTemplate.Answer

    private func signIn(
        _ deployed: DeployedTemplate, _ subject: String, _ email: String
    ) throws -> Answer {
        let claims: JSONObject = ["sub": .string(subject), "email": .string(email)]
        return try deployed.signIn("apple", claims)
    }

    @Test func `latchkey changes an address, and restores it`() throws {
        let deployed = try DeployedTemplate("latchkey")
        let (old, new) = ("ada@example.org", "ada@new.example.org")
        let bearer = try signIn(deployed, "001", old).text("accessToken")
        func ask(_ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil) throws -> Answer
        {
            try deployed.ask(method, path, body, bearer: bearer)
        }

        // An address of another account, and a free one.
        _ = try signIn(deployed, "002", "grace@example.org")
        let taken = try ask(.post, "/auth/email", ["email": "grace@example.org"])
        let asked = try ask(.post, "/auth/email", ["email": .string(new)])
        #expect(taken.status == 202 && asked.status == 202, "\(asked.body.text)")
        let code = try deployed.mailedCode(to: new, after: [])
        let secret = try asked.text("requestSecret")
        let confirmed = try ask(
            .post, "/auth/email/confirm",
            ["code": .string(code), "requestSecret": .string(secret)])
        #expect(confirmed.status == 200 && confirmed.body["email"]?.stringValue == new)

        // Possible additions of a thief.
        let password = "correct horse battery"
        try expectEqual(
            ask(.post, "/auth/methods/password", ["password": .string(password)]).status, 201)
        let google = try deployed.mint("google", ["sub": "thief"])
        try expectEqual(
            ask(.post, "/auth/methods", ["provider": "google", "idToken": google]).status, 201)
        let login: JSON = ["email": .string(new), "password": .string(password)]
        try expectEqual(deployed.ask(.post, "/auth/login", login).status, 200)

        let link = try deployed.mailedLink(to: old)
        #expect(link.hasPrefix("myapp://auth/undo-email?token="))
        let token = try deployed.mailedToken(to: old)
        let scanned = try deployed.ask(.get, "/auth/email/undo?token=\(token)")
        #expect(scanned.status == 404 || scanned.status == 405)
        let undone = try deployed.ask(.post, "/auth/email/undo", ["token": .string(token)])
        expectEqual(undone.status, 204, "\(undone.body.text)")
        try expectEqual(ask(.get, "/auth/me").status, 401)
        try expectEqual(deployed.ask(.post, "/auth/login", login).status, 401)
        let again = try signIn(deployed, "001", old)
        expectEqual(again.body["user"]?["email"]?.stringValue, old, "\(again.body.text)")
        let methods = try deployed.ask(.get, "/auth/methods", bearer: again.text("accessToken"))
        expectEqual(methods.body["methods"]?.arrayValue?.count, 1, "\(methods.body.text)")
        let used = try deployed.ask(.post, "/auth/email/undo", ["token": .string(token)])
        expectEqual(used.status, 400, "\(used.body.text)")

        expectEqual(deployed.denials, [])
        for text in [token, code, secret] { #expect(!deployed.emulator.log.contains(text)) }
    }

    /// The mail about an addition has a link of its own.
    @Test func `latchkey removes what was added, by the link in the mail about it`() throws {
        let deployed = try DeployedTemplate("latchkey")
        let address = "ada@example.org"
        let bearer = try signIn(deployed, "001", address).text("accessToken")
        let added = try deployed.ask(
            .post, "/auth/methods",
            ["provider": "google", "idToken": try deployed.mint("google", ["sub": "other"])],
            bearer: bearer)
        expectEqual(added.status, 201, "\(added.body.text)")
        let link = try deployed.mailedLink(to: address)
        #expect(link.hasPrefix("myapp://auth/undo-change?token="))
        let undo: JSON = ["token": .string(try deployed.mailedToken(to: address))]
        try expectEqual(deployed.ask(.post, "/auth/email/undo", undo).status, 400)
        try expectEqual(deployed.ask(.post, "/auth/undo", undo).status, 204)
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 401)
        try expectEqual(deployed.ask(.post, "/auth/undo", undo).status, 400)
        expectEqual(deployed.denials, [])
    }
}
