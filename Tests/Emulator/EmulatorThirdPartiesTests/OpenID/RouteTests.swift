import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct RouteTests {
    @Test func `random requests get valid responses, and the service keeps working`() throws {
        let harness = try IdentityServiceHarness()
        let random = RandomSource.seeded(2026)
        let words = [
            "/_idp/", "apple", "google", "acme", "/auth/token", "/token", "/auth/authorize",
            "/o/oauth2/v2/auth", "/authorize", "/decision", "/mint", "/faults", "/clients/",
            "/notify",
            "/accounts", "/revoke", "/tokeninfo", "/v1/userinfo", "?", "client_id=",
            "redirect_uri=",
            "http%3A%2F%2Fa%2Fb", "response_type=", "code", "id_token", "&", "=", "%",
            "scope=openid",
            "latchkey_account=", "a@b", "{", "}", "\"email\":", "\"fault\":\"expired\"", "[",
            "null",
            "grant_type=authorization_code", "token=", "\u{0}", "\r\n", "é", "-1", "prompt=none",
        ]
        let methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", ""]
        func number(below count: Int) -> Int {
            Int(random.bytes(2).reduce(0) { $0 << 8 | UInt16($1) }) % count
        }
        func text(_ count: Int) -> String {
            (0..<number(below: count)).map { _ in words[number(below: words.count)] }.joined()
        }
        for _ in 0..<4000 {
            let types = ["application/json", "application/x-www-form-urlencoded", "x"]
            let request = ServerRequest(
                method: methods[number(below: methods.count)], target: "/_idp/" + text(12),
                headers: [
                    HTTPHeader("Content-Type", types[number(below: 3)]),
                    HTTPHeader("Authorization", text(4)),
                ],
                body: number(below: 4) == 0 ? random.bytes(number(below: 64)) : Array(text(12).utf8)
            )
            let answer = try #require(harness.send(request))
            #expect((200..<500).contains(answer.status), "\(request.target)")
            #expect(
                answer.headers.allSatisfy { header in
                    header.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                }, "\(request.target)")
        }
        try expectEqual(harness.mint("acme").isEmpty, false)
    }
}
