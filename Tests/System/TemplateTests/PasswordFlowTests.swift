import BaseTestSupport
import Foundation

/// Accounts with passwords, through the deployed template: routes, policies, mail and its links.
@Suite("Password flows", .serialized, .hangLimit, .onEveryStore)
struct PasswordFlowTests {
    private typealias Answer = DeployedTemplate.Answer

    @Test func `latchkey registers, verifies, logs in, resets and changes`() throws {
        let deployed = try DeployedTemplate("latchkey") { resources in
            for name in ["RegisterFunction", "ResetPasswordFunction", "ChangePasswordFunction"] {
                try resources.change(name, "Properties", "Environment", "Variables") {
                    $0["BREACHED_PASSWORDS_URL"] = ["Fn::Sub": "${Issuer}/_breaches"]
                }
            }
        }
        let (address, first) = ("ada@example.org", "correct horse battery")
        let account: JSON = ["email": .string(address), "password": .string(first)]
        let breached = "Breached-Password-1!"
        func logIn(_ password: String) throws -> Answer {
            try deployed.ask(
                .post, "/auth/login", ["email": .string(address), "password": .string(password)])
        }

        let refused = try deployed.ask(
            .post, "/auth/register", ["email": .string(address), "password": .string(breached)])
        #expect(refused.status == 400 && refused.body.text.contains("breach"))
        let registered = try deployed.ask(.post, "/auth/register", account)
        expectEqual(registered.status, 202, "\(registered.body.text)")
        let original = try deployed.mailedToken(to: address, after: [])
        try expectEqual(logIn(first).status, 401)
        let resent = try deployed.ask(
            .post, "/auth/resend-verification", ["email": .string(address)])
        expectEqual(resent.status, 202)
        let again = try deployed.mailedToken(to: address, after: [original])
        let verified = try deployed.ask(
            .post, "/auth/verify-email", ["token": .string(again), "password": .string(first)])
        expectEqual(verified.status, 201, "\(verified.body.text)")
        expectEqual(verified.body["user"]?["emailVerified"], true)
        let reused = try deployed.ask(
            .post, "/auth/verify-email", ["token": .string(original), "password": .string(first)])
        expectEqual(reused.status, 400)

        let second = "battery staple horse"
        let session = try logIn(first)
        expectEqual(session.status, 200, "\(session.body.text)")
        let link = try resetPassword(
            deployed, of: address, to: second, refusing: breached, after: [original, again])
        try expectEqual(
            deployed.ask(.get, "/auth/me", bearer: session.text("accessToken")).status, 401)
        try expectEqual(logIn(first).status, 401)

        let third = "staple horse correct"
        let bearer = try logIn(second).text("accessToken")
        try changePassword(deployed, bearer, from: second, to: third, refusing: breached)
        try expectEqual(logIn(third).status, 200)

        // The responses do not reveal whether an address has an account.
        let taken = try deployed.ask(.post, "/auth/register", account)
        expectEqual(taken.status, 202)
        expectEqual(taken.body["message"], registered.body["message"])
        expectEqual(deployed.denials, [])
        for secret in [original, again, link, first, second, third] {
            #expect(!deployed.emulator.log.contains(secret))
        }
    }

    /// Returns the token of the mailed link.
    private func resetPassword(
        _ deployed: DeployedTemplate, of address: String, to new: String,
        refusing breached: String, after known: [String]
    ) throws -> String {
        let forgotten = try deployed.ask(
            .post, "/auth/forgot-password", ["email": .string(address)])
        expectEqual(forgotten.status, 202)
        let link = try deployed.mailedToken(to: address, after: known)
        func resetting(_ password: String) throws -> Answer {
            try deployed.ask(
                .post, "/auth/reset-password",
                ["token": .string(link), "newPassword": .string(password)])
        }
        try expectEqual(resetting(breached).status, 400)
        let reset = try resetting(new)
        expectEqual(reset.status, 204, "\(reset.body.text)")
        return link
    }

    private func changePassword(
        _ deployed: DeployedTemplate, _ bearer: String, from old: String, to new: String,
        refusing breached: String
    ) throws {
        func changing(_ password: String) throws -> Answer {
            try deployed.ask(
                .post, "/auth/change-password",
                ["currentPassword": .string(old), "newPassword": .string(password)],
                bearer: bearer)
        }
        try expectEqual(changing(breached).status, 400)
        let changed = try changing(new)
        expectEqual(changed.status, 200, "\(changed.body.text)")
        let now = try changed.text("accessToken")
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: now).status, 200)
        try expectEqual(deployed.ask(.get, "/auth/me", bearer: bearer).status, 401)
    }

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
