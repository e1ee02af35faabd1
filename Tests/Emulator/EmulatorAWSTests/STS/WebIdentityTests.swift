import AWSSignature
import BaseTestSupport
import EmulatorAWS
import JOSE
import XML

@Suite struct WebIdentityTests {
    @Test func `Google's aud condition key is the authorized party`() throws {
        let harness = try STSHarness()
        func token(_ azp: String) throws -> String {
            try harness.token {
                $0["iss"] = "https://g.example"
                $0["aud"] = "aud-1"
                $0["azp"] = .string(azp)
            }
        }
        let answer = try harness.web(try token("azp-1"), role: "google")
        expectEqual(answer.result?["Audience"]?.text, "azp-1")
        expectEqual(answer.result?["Provider"]?.text, "accounts.google.com")
        try harness.web(try token("azp-2"), role: "google").expect(
            403, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity")
    }

    @Test func `tags in the token become session tags`() throws {
        let harness = try STSHarness()
        let session = try harness.web(
            try harness.token {
                $0["https://aws.amazon.com/tags"] = ["principal_tags": ["uid": ["u1"]]]
            }
        ).credentials()
        let identity = try harness.authority.identify(
            session.accessKeyID,
            token: session.sessionToken.map { String(decoding: $0.reveal(), as: UTF8.self) },
            at: start
        ).identity
        expectEqual(identity.tags, [SessionTag("uid", "u1")])
    }

    @Test(
        arguments: [
            (
                ["iss": "https://evil.example"], "InvalidIdentityToken",
                "No OpenIDConnect provider found in your account for https://evil.example"
            ),
            (["aud": "other"], "InvalidIdentityToken", "Incorrect token audience"),
            (["aud": ["a", "b"]], "InvalidIdentityToken", "Incorrect token audience"),
            (
                ["exp": 1_700_000_000], "ExpiredTokenException",
                """
                Token expired: current date/time 1700000000 must be before the expiration \
                date/time1700000000
                """
            ),
            (
                ["aud": "web"], "AccessDenied",
                "Not authorized to perform sts:AssumeRoleWithWebIdentity"
            ),
        ] as [(JSONObject, String, String)])
    func `a token that the role does not trust is refused`(
        claims: JSONObject, code: String, message: String
    ) throws {
        let harness = try STSHarness()
        let token = try harness.token { all in
            for member in claims.members { all[member.name] = member.value }
        }
        try harness.web(token).expect(code == "AccessDenied" ? 403 : 400, code, message)
    }

    @Test func `a provider that cannot be reached is reported`() throws {
        let harness = try STSHarness(providerIsReachable: false)
        try harness.web(try harness.token()).expect(400, "IDPCommunicationError")
    }
}
