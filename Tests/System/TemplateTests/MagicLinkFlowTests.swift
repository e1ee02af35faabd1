import BaseTestSupport
import Foundation

/// Signing in by mailed links, through the deployed template.
@Suite("Magic link flows", .serialized, .hangLimit, .onEveryStore)
struct MagicLinkFlowTests {
    @Test func `latchkey makes an account by a mailed link and signs in by the next one`() throws {
        let deployed = try DeployedTemplate("latchkey")
        let address = "ada@example.org"
        func request() throws -> String {
            let answer = try deployed.ask(.post, "/auth/magic-link", ["email": .string(address)])
            expectEqual(answer.status, 202, "\(answer.body.text)")
            return try answer.text("requestSecret")
        }
        func redeem(_ token: String, _ secret: String) throws -> DeployedTemplate.Answer {
            try deployed.ask(
                .post, "/auth/magic-link/redeem",
                ["token": .string(token), "requestSecret": .string(secret)])
        }

        let secret = try request()
        let link = try deployed.mailedLink(to: address)
        #expect(link.hasPrefix("myapp://auth/magic-link?token="))
        let token = try deployed.mailedToken(to: address)
        let scanned = try deployed.ask(.get, "/auth/magic-link/redeem?token=\(token)")
        #expect(scanned.status == 404 || scanned.status == 405)
        let other = try request()
        let spare = try deployed.mailedToken(to: address, after: [token])
        try expectEqual(redeem(token, other).status, 400)
        let first = try redeem(token, secret)
        expectEqual(first.status, 200, "\(first.body.text)")
        #expect(first.body["isNewUser"] == true && first.body["user"]?["emailVerified"] == true)
        try expectEqual(redeem(token, secret).status, 400)

        // It was mailed for a new account, and now the account exists.
        try expectEqual(redeem(spare, other).status, 400)
        let again = try request()
        let newest = try deployed.mailedToken(to: address, after: [token, spare])
        let session = try redeem(newest, again)
        expectEqual(session.status, 200, "\(session.body.text)")
        expectEqual(session.body["isNewUser"], false)
        let me = try deployed.ask(.get, "/auth/me", bearer: session.text("accessToken"))
        expectEqual(me.body["authProviders"], ["email"], "\(me.body.text)")

        // The code of a third mail, instead of its token.
        let last = try request()
        let code = try deployed.mailedCode(to: address, after: [token, spare, newest])
        let typed: JSON = ["code": .string(code), "requestSecret": .string(last)]
        let coded = try deployed.ask(.post, "/auth/magic-link/redeem", typed)
        #expect(coded.status == 200 && coded.body["isNewUser"] == false, "\(coded.body.text)")
        try expectEqual(deployed.ask(.post, "/auth/magic-link/redeem", typed).status, 400)
        expectEqual(deployed.denials, [])
        for text in [last, token, newest, secret, again] {
            #expect(!deployed.emulator.log.contains(text))
        }
    }

    /// SH75
    @Test func `shell mails its deep link, whose token signs in`() throws {
        let deployed = try DeployedTemplate("shell")
        let address = "user@example.com"
        let account: JSONObject = ["email": .string(address), "password": "Secret-1234"]
        var registration = account
        registration["confirmPassword"] = "Secret-1234"
        let registered = try deployed.ask(.post, "/auth/register", .object(registration))
        let before = try deployed.ask(.post, "/auth/login", .object(account))

        let asked = try deployed.ask(.post, "/auth/magic-link", ["email": .string(address)])
        expectEqual(asked.status, 200, "\(asked.body.text)")
        let link = try deployed.mailedLink(to: address)
        #expect(link.hasPrefix("shell://auth/callback?token="))
        let body: JSON = ["token": .string(try deployed.mailedToken(to: address))]
        let session = try deployed.ask(.post, "/auth/magic-link/verify", body)
        expectEqual(session.status, 200, "\(session.body.text)")
        expectEqual(session.body["userID"], registered.body["userID"])
        try expectEqual(deployed.ask(.post, "/auth/magic-link/verify", body).status, 400)

        // The address was not verified: earlier sessions and the password are gone.
        let refreshed = try deployed.ask(
            .post, "/auth/refresh",
            ["refreshToken": .string(try before.text("refreshToken"))])
        expectEqual(refreshed.status, 401)
        try expectEqual(deployed.ask(.post, "/auth/login", .object(account)).status, 401)
        let kept = try deployed.ask(
            .post, "/auth/refresh",
            ["refreshToken": .string(try session.text("refreshToken"))])
        expectEqual(kept.status, 200, "\(kept.body.text)")
        // No link creates an account.
        let unknown = try deployed.ask(.post, "/auth/magic-link", ["email": "unknown@example.com"])
        #expect(unknown.status == 200 && unknown.body == asked.body)
        expectEqual(deployed.denials, [])
    }
}
