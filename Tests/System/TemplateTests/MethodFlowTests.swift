import AuthTestSupport
import Glibc
import TestSupport

/// Removing a sign-in method, through the deployed template.
@Suite("Method flows", .serialized, .hangLimit, .onEveryStore)
struct MethodFlowTests {
    private typealias Answer = DeployedTemplate.Answer

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
}
