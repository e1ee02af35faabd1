import BaseTestSupport

/// Statements of the seeds about a whole deployment.
@Suite("Flows of the seeds", .onEveryStore) struct SeedFlowTests {
    @Test func `whateat refuses unknown routes and bad tokens in its own envelope`() throws {
        let deployed = try DeployedTemplate("whateat")
        let signOut = "/api/v1/auth/signout"
        for (answer, status, code) in [
            (try deployed.ask(.get, "/nowhere"), 404, "NOT_FOUND"),
            (try deployed.ask(.get, signOut), 404, "NOT_FOUND"),
            (try deployed.ask(.get, "/api/v1/auth/signin"), 405, "METHOD_NOT_ALLOWED"),
            (try deployed.ask(.post, signOut), 401, "UNAUTHORIZED"),
            (try deployed.ask(.post, signOut, bearer: "junk"), 401, "UNAUTHORIZED"),
        ] {
            expectEqual(answer.status, status)
            expectEqual(answer.body.members.map(\.name), ["error", "code"], "\(answer.body.text)")
            expectEqual(answer.body["code"]?.stringValue, code)
        }
        expectEqual(deployed.denials, [])
    }

    /// The routes of `Examples/shell`.
    @Test func `items and profiles of shell answer 401 without a token`() throws {
        let deployed = try DeployedTemplate("shell", example: true)
        func logIn(_ email: String) throws -> DeployedTemplate.Answer {
            let password: JSON = "Secret-1234"
            let registered = try deployed.ask(
                .post, "/auth/register",
                ["email": .string(email), "password": password, "confirmPassword": password])
            expectEqual(registered.status, 201, "\(registered.body.text)")
            return try deployed.ask(
                .post, "/auth/login", ["email": .string(email), "password": password])
        }
        let (session, other) = (try logIn("ada@example.com"), try logIn("grace@example.com"))
        let (user, bearer) = try (session.text("userID"), session.text("accessToken"))
        let profile = "/v1/users/\(user)/profile"
        for path in ["/v1/items", profile] {
            for token in [nil, "junk"] {
                let refused = try deployed.ask(.get, path, bearer: token)
                expectEqual(refused.status, 401)
                expectEqual(refused.body["error"], "unauthorized", "\(refused.body.text)")
            }
        }
        let added = try deployed.ask(.post, "/v1/items", ["name": "Lamp"], bearer: bearer)
        expectEqual(added.status, 201, "\(added.body.text)")
        let listed = try deployed.ask(.get, "/v1/items", bearer: bearer)
        expectEqual(listed.body, ["items": [added.body]])
        let known = try deployed.ask(.get, profile, bearer: bearer)
        expectEqual(known.body, ["userID": .string(user), "email": "ada@example.com"])
        // Another user has neither.
        let token = try other.text("accessToken")
        try expectEqual(deployed.ask(.get, "/v1/items", bearer: token).body, ["items": []])
        let hidden = try deployed.ask(.get, profile, bearer: token)
        #expect(hidden.status == 404 && hidden.body["error"] == "not_found")
        // Logging out ends the first user's session at once.
        let refresh: JSON = ["refreshToken": .string(try session.text("refreshToken"))]
        try expectEqual(deployed.ask(.post, "/auth/logout", refresh, bearer: bearer).status, 200)
        try expectEqual(deployed.ask(.get, "/v1/items", bearer: bearer).status, 401)
        expectEqual(deployed.denials, [])
    }
}
