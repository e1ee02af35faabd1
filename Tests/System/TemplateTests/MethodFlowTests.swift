import AuthTestSupport
import Glibc
import TestSupport

/// Adding and removing sign-in methods, through the deployed template.
@Suite("Method flows", .serialized, .hangLimit, .onEveryStore)
struct MethodFlowTests {
    private typealias Answer = DeployedTemplate.Answer

    private func names(_ answer: Answer) -> [String] {
        (answer.body["methods"]?.arrayValue ?? []).compactMap { $0["method"]?.stringValue }
    }

    /// Apple's token is kept from the sign-in to the run of housekeeping that follows the removal.
    @Test func `latchkey revokes the token of an identity that is removed`() throws {
        let key = try #require(try SigningKey.generate(.es256, random: .system).pem())
        let deployed = try DeployedTemplate("latchkey") { resources in
            for name in ["SignInFunction", "HousekeepingFunction"] {
                try resources.change(name, "Properties", "Environment", "Variables") {
                    $0["APPLE_TEAM_ID"] = "TEAM123456"
                    $0["APPLE_KEY_ID"] = "KEY1234567"
                    $0["APPLE_PRIVATE_KEY"] = .string(String(decoding: key.reveal(), as: UTF8.self))
                }
            }
        }
        func tokens(_ session: Answer) throws -> JSON? {
            let bearer = try session.text("accessToken")
            let export = try deployed.ask(.get, "/auth/export", bearer: bearer)
            return export.body["account"]?["providerTokens"] ?? export.body["providerTokens"]
        }
        let minted = try deployed.ask(
            .post, "/_idp/apple/mint", ["email": "ada@example.org", "withCode": true])
        let session = try deployed.ask(
            .post, "/auth/signin",
            [
                "provider": "apple", "idToken": .string(try minted.text("idToken")),
                "authorizationCode": .string(try minted.text("authorizationCode")),
            ])
        try expectEqual(tokens(session), ["apple"])
        let google: JSON = ["provider": "google", "idToken": try deployed.mint("google")]
        let bearer = try session.text("accessToken")
        try expectEqual(deployed.ask(.post, "/auth/methods", google, bearer: bearer).status, 201)
        let removed = try deployed.ask(.delete, "/auth/methods/apple", bearer: bearer)
        expectEqual(removed.status, 200, "\(removed.body.text)")

        // The schedule of the template may have done it, or may be doing it.
        let run = try deployed.invoke("HousekeepingFunction", [:])
        let counts = try #require(run.body["jobs"]?["deletions"], "\(run.body.text)")
        #expect(counts["failed"] == 0 && counts["unfinished"] == 0)
        var left = try tokens(removed)
        for _ in 0..<100 where left != [] {
            usleep(100_000)
            left = try tokens(removed)
        }
        expectEqual(left, [])
        expectEqual(deployed.denials, [])
        #expect(!deployed.emulator.log.contains("account_erasure_failed"))
    }

    /// LV74
    @Test func `livlogios links Apple to a password, and a password to Apple`() throws {
        let deployed = try DeployedTemplate("livlogios")
        func apple(_ subject: String) throws -> JSON {
            ["identityToken": try deployed.mint("apple", ["sub": .string(subject)])]
        }
        let account: JSON = ["email": "user@example.com", "password": "securePassword123"]

        // Signed in by Apple: the password and its address.
        let first = try deployed.ask(.post, "/api/v1/auth/apple", try apple("001"))
        let bearer = try first.text("accessToken")
        let sent = try deployed.ask(.post, "/api/v1/auth/methods/password", account, bearer: bearer)
        expectEqual(sent.status, 202, "\(sent.body.text)")
        let token = try deployed.mailedToken(to: "user@example.com")
        let added = try deployed.ask(
            .post, "/api/v1/auth/methods/password/confirm", ["token": .string(token)],
            bearer: bearer)
        #expect(added.status == 201 && names(added) == ["apple", "email"], "\(added.body.text)")

        // Signed in by the password: Apple, after it was removed.
        let session = try deployed.ask(.post, "/api/v1/auth/login", account)
        let me = try deployed.ask(.get, "/api/v1/auth/me", bearer: session.text("accessToken"))
        expectEqual(me.body["authProviders"], ["apple", "email"], "\(me.body.text)")
        expectEqual(me.body["id"], first.body["user"]?["id"])
        let removed = try deployed.ask(
            .delete, "/api/v1/auth/methods/apple", bearer: session.text("accessToken"))
        expectEqual(removed.status, 200, "\(removed.body.text)")
        let next = try removed.text("accessToken")
        let last = try deployed.ask(.delete, "/api/v1/auth/methods/password", bearer: next)
        expectEqual(last.status, 409, "\(last.body.text)")
        let linked = try deployed.ask(
            .post, "/api/v1/auth/methods/apple", try apple("002"), bearer: next)
        expectEqual(linked.status, 201, "\(linked.body.text)")
        let listed = try deployed.ask(.get, "/api/v1/auth/methods", bearer: next)
        expectEqual(names(listed), ["email", "apple"], "\(listed.body.text)")
        let again = try deployed.ask(.post, "/api/v1/auth/apple", try apple("002"))
        expectEqual(again.body["user"]?["id"], me.body["id"], "\(again.body.text)")
        expectEqual(deployed.denials, [])
    }
}
