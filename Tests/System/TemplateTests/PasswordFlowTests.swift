import BaseTestSupport
import Foundation

/// Accounts with passwords, through the deployed template: routes, policies, mail and its links.
@Suite("Password flows", .serialized, .hangLimit, .onEveryStore)
struct PasswordFlowTests {
    private typealias Answer = DeployedTemplate.Answer

    @Test func `livlogios makes no account before the link is used`() throws {
        let deployed = try DeployedTemplate("livlogios")
        let account: JSON = [
            "email": "user@example.com", "password": "securePassword123",
            "displayName": "John Doe",
        ]
        let registered = try deployed.ask(.post, "/api/v1/auth/register", account)
        expectEqual(registered.status, 201, "\(registered.body.text)")
        expectEqual(
            registered.body, ["message": "Verification email sent", "email": "user@example.com"])
        let token = try deployed.mailedToken(to: "user@example.com", after: [])
        let verified = try deployed.ask(
            .post, "/api/v1/auth/verify-email", ["token": .string(token)])
        expectEqual(verified.status, 200, "\(verified.body.text)")
        expectEqual(verified.body["user"]?["displayName"], "John Doe")
        expectEqual(verified.body["expiresIn"], nil)
        let me = try deployed.ask(.get, "/api/v1/auth/me", bearer: verified.text("accessToken"))
        #expect(me.body["authProviders"] == ["email"] && me.body["emailVerified"] == true)
        let session = try deployed.ask(.post, "/api/v1/auth/login", account)
        expectEqual(session.status, 200, "\(session.body.text)")

        let forgotten = try deployed.ask(
            .post, "/api/v1/auth/forgot-password", ["email": "user@example.com"])
        expectEqual(forgotten.status, 200)
        let link = try deployed.mailedToken(to: "user@example.com", after: [token])
        let reset = try deployed.ask(
            .post, "/api/v1/auth/reset-password",
            ["token": .string(link), "newPassword": "newSecurePassword123"])
        expectEqual(reset.status, 204, "\(reset.body.text)")
        let refreshed = try deployed.ask(
            .post, "/api/v1/auth/refresh",
            ["refreshToken": .string(try session.text("refreshToken"))])
        expectEqual(refreshed.status, 401)
        expectEqual(deployed.denials, [])
    }

    @Test func `livlogios accepts no password for an address that was registered twice`() throws {
        let deployed = try DeployedTemplate("livlogios")
        func register(_ password: String) throws {
            let answer = try deployed.ask(
                .post, "/api/v1/auth/register",
                ["email": "user@example.com", "password": .string(password)])
            expectEqual(answer.status, 201, "\(answer.body.text)")
        }
        func logIn(_ password: String) throws -> Int {
            try deployed.ask(
                .post, "/api/v1/auth/login",
                ["email": "user@example.com", "password": .string(password)]
            ).status
        }
        try register("the owner's own")
        let first = try deployed.mailedToken(to: "user@example.com", after: [])
        try register("the attacker's")
        let second = try deployed.mailedToken(to: "user@example.com", after: [first])
        let verified = try deployed.ask(
            .post, "/api/v1/auth/verify-email", ["token": .string(second)])
        expectEqual(verified.status, 200, "\(verified.body.text)")
        try expectEqual(logIn("the attacker's"), 401)

        let link = try deployed.mailedToken(to: "user@example.com", after: [first, second])
        let chosen = try deployed.ask(
            .post, "/api/v1/auth/reset-password",
            ["token": .string(link), "newPassword": "chosen by mail"])
        expectEqual(chosen.status, 204, "\(chosen.body.text)")
        try expectEqual(logIn("chosen by mail"), 200)
        expectEqual(deployed.denials, [])
    }

    /// The list for quality assurance of the seed (SH79), without the steps of an app.
    @Test func `shell registers, logs in, refreshes, detects reuse and logs out`() throws {
        let deployed = try DeployedTemplate("shell")
        let account: JSONObject = ["email": "user@example.com", "password": "Secret-1234"]
        var registration = account
        registration["confirmPassword"] = "Secret-1234"
        func logIn() throws -> Answer {
            try deployed.ask(.post, "/auth/login", .object(account))
        }
        func refresh(_ token: String) throws -> Answer {
            try deployed.ask(.post, "/auth/refresh", ["refreshToken": .string(token)])
        }
        let registered = try deployed.ask(.post, "/auth/register", .object(registration))
        expectEqual(registered.status, 201, "\(registered.body.text)")
        expectEqual(registered.body["message"], "Registration successful")

        let (phone, tablet) = (try logIn(), try logIn())
        #expect(phone.body["expiresIn"] == 900 && phone.body["tokenType"] == "Bearer")
        expectEqual(phone.body["userID"], registered.body["userID"])
        let stolen = try phone.text("refreshToken")
        let next = try refresh(stolen)
        expectEqual(next.status, 200, "\(next.body.text)")
        try expectEqual(refresh(stolen).status, 401)
        try expectEqual(refresh(next.text("refreshToken")).status, 401)
        try expectEqual(refresh(tablet.text("refreshToken")).status, 401)

        let session = try logIn()
        let (bearer, token) = try (session.text("accessToken"), session.text("refreshToken"))
        let body: JSON = ["refreshToken": .string(token)]
        try expectEqual(deployed.ask(.post, "/auth/logout", body).status, 401)
        let left = try deployed.ask(.post, "/auth/logout", body, bearer: bearer)
        #expect(left.status == 200 && left.body == ["message": "Logged out successfully"])
        try expectEqual(deployed.ask(.post, "/auth/logout", body, bearer: bearer).status, 401)
        try expectEqual(refresh(token).status, 401)

        let forgotten = try deployed.ask(
            .post, "/auth/forgot-password", ["email": "user@example.com"])
        expectEqual(forgotten.status, 200, "\(forgotten.body.text)")
        let link = try deployed.mailedToken(to: "user@example.com", after: [])
        let reset = try deployed.ask(
            .post, "/auth/reset-password",
            [
                "token": .string(link), "newPassword": "Other-1234",
                "confirmPassword": "Other-1234",
            ])
        expectEqual(reset.status, 200, "\(reset.body.text)")
        try expectEqual(logIn().status, 401)
        expectEqual(deployed.denials, [])
    }
}
