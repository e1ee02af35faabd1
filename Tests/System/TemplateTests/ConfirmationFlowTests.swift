import BaseTestSupport

/// Verifying the address of an account, and signing in to `shell` with a provider, through the
/// deployed template.
@Suite("Confirmation flows", .serialized, .hangLimit, .onEveryStore)
struct ConfirmationFlowTests {
    /// SH78
    @Test func `shell proves the address of a registered user with its deep link`() throws {
        let deployed = try DeployedTemplate("shell")
        let address = "user@example.com"
        func session(_ email: String) throws -> String {
            let account: JSONObject = ["email": .string(email), "password": "Secret-1234"]
            var registration = account
            registration["confirmPassword"] = "Secret-1234"
            try expectEqual(
                deployed.ask(.post, "/auth/register", .object(registration)).status, 201)
            return try deployed.ask(.post, "/auth/login", .object(account)).text("accessToken")
        }
        let bearer = try session(address)
        let sent = try deployed.ask(.post, "/auth/verify-email/send", bearer: bearer)
        expectEqual(sent.status, 200, "\(sent.body.text)")
        let link = try deployed.mailedLink(to: address)
        #expect(link.hasPrefix("shell://auth/verify-email?token="))
        let body: JSON = ["token": .string(try deployed.mailedToken(to: address))]

        // Neither another account nor a request without a token can use it.
        let other = try session("other@example.com")
        try expectEqual(deployed.ask(.post, "/auth/verify-email", body, bearer: other).status, 400)
        try expectEqual(deployed.ask(.post, "/auth/verify-email", body).status, 401)
        let proven = try deployed.ask(.post, "/auth/verify-email", body, bearer: bearer)
        expectEqual(proven.status, 200, "\(proven.body.text)")
        let again = try deployed.ask(.post, "/auth/verify-email/send", bearer: bearer)
        expectEqual(again.status, 409, "\(again.body.text)")

        // From now on a mailed link signs in and leaves the password.
        _ = try deployed.ask(.post, "/auth/magic-link", ["email": .string(address)])
        let token = try deployed.mailedToken(to: address, after: [body["token"]?.stringValue ?? ""])
        let signedIn = try deployed.ask(.post, "/auth/magic-link/verify", ["token": .string(token)])
        expectEqual(signedIn.status, 200, "\(signedIn.body.text)")
        let login = try deployed.ask(
            .post, "/auth/login", ["email": .string(address), "password": "Secret-1234"])
        expectEqual(login.status, 200, "\(login.body.text)")
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains(token))
    }

    /// SH77
    @Test func `shell signs in with Apple and Google, and links nothing by an address`() throws {
        let deployed = try DeployedTemplate("shell")
        let address = "user@example.com"
        func signIn(_ provider: String) throws -> DeployedTemplate.Answer {
            let claims: JSONObject = ["sub": "001", "email": .string(address)]
            return try deployed.ask(
                .post, "/auth/signin",
                [
                    "provider": .string(provider),
                    "idToken": try deployed.mint(provider, claims),
                ])
        }
        let apple = try signIn("apple")
        #expect(apple.status == 200 && apple.body["emailTaken"] == nil, "\(apple.body.text)")
        expectEqual(apple.body["email"]?.stringValue, address)
        try expectEqual(signIn("apple").body["userID"], apple.body["userID"])
        let google = try signIn("google")
        expectEqual(google.body["emailTaken"], true, "\(google.body.text)")
        #expect(google.body["userID"] != apple.body["userID"])
        let refreshed = try deployed.ask(
            .post, "/auth/refresh",
            ["refreshToken": .string(try google.text("refreshToken"))])
        expectEqual(refreshed.status, 200, "\(refreshed.body.text)")
        expectEqual(deployed.denials, [])
    }
}
