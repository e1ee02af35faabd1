import AWSSignature
import BaseTestSupport
import EmulatorAWS
import XML

@Suite struct CallTests {
    @Test func `unknown credentials are rejected with the right error`() throws {
        let harness = try STSHarness()
        try harness.call("GetCallerIdentity").expect(
            403, "MissingAuthenticationToken", "Request is missing Authentication Token")
        let unknown = AWSCredentials(
            accessKeyID: "AKIANOBODY", secretAccessKey: SecretBytes(utf8: "x"))
        try harness.call("GetCallerIdentity", as: unknown).expect(
            403, "InvalidClientTokenId", "The security token included in the request is invalid.")
        let forged = AWSCredentials(
            accessKeyID: harness.developer.accessKeyID, secretAccessKey: SecretBytes(utf8: "x"))
        try harness.call("GetCallerIdentity", as: forged).expect(403, "SignatureDoesNotMatch")
        try harness.call("GetCallerIdentity", as: harness.developer, at: start - .minutes(6))
            .expect(
                403, "SignatureDoesNotMatch",
                "Signature expired: 20231114T220720Z is now earlier than 20231114T220820Z "
                    + "(20231114T221320Z - 5 min.)")
        let session = try harness.call("GetSessionToken", as: harness.developer).credentials()
        let later = try STSHarness(now: start + .hours(12))
        try later.call("GetCallerIdentity", as: session, at: start + .hours(12)).expect(
            403, "ExpiredToken", "The security token included in the request is expired")
    }

    @Test func `GetSessionToken only accepts long-term keys`() throws {
        let harness = try STSHarness()
        let session = try harness.call(
            "GetSessionToken", [("DurationSeconds", "900")], as: harness.developer
        ).credentials()
        expectEqual(session.expiresAt, start + .minutes(15))
        let who = try harness.call("GetCallerIdentity", as: session).result
        expectEqual(who?["Arn"]?.text, "arn:aws:iam::123456789012:user/developer")
        try harness.call("GetSessionToken", as: session).expect(
            403, "AccessDenied", "Cannot call GetSessionToken with session credentials")
        try harness.call("GetSessionToken", [("DurationSeconds", "129601")], as: harness.developer)
            .expect(400, "ValidationError")
    }

    @Test func `GetAccessKeyInfo returns the account`() throws {
        let harness = try STSHarness()
        let info = try harness.call(
            "GetAccessKeyInfo", [("AccessKeyId", "AKIAIOSFODNN7EXAMPLE")], as: harness.developer)
        expectEqual(info.result?["Account"]?.text, account)
        try harness.call("GetAccessKeyInfo", [("AccessKeyId", "short")], as: harness.developer)
            .expect(400, "ValidationError")
    }

    @Test func `an unknown operation is refused with the API version`() throws {
        let harness = try STSHarness()
        try harness.call("AssumeRoles", as: harness.developer).expect(
            400, "InvalidAction", "Could not find operation AssumeRoles for version 2011-06-15")
        try harness.call("AssumeRole", as: harness.developer, version: "2010-01-01").expect(
            400, "InvalidAction", "Could not find operation AssumeRole for version 2010-01-01")
        try harness.call("GetFederationToken", as: harness.developer).expect(501, "NotImplemented")
    }

    @Test func `GET requests with a query are supported`() throws {
        let harness = try STSHarness()
        let query = "Action=GetCallerIdentity&Version=2011-06-15"
        let request = try Signer(harness.developer, region: "us-east-1", service: "sts").sign(
            HTTPRequest(.get, "http://127.0.0.1:8001/?\(query)"), at: start)
        let answer = try STSTestResponse(
            harness.service.answer(
                STSCall(
                    ServiceCall(
                        method: "GET", target: "/?\(query)", headers: request.headers, body: [],
                        sourceAddress: "127.0.0.1"))))
        expectEqual(answer.result?["Account"]?.text, account)
    }

    @Test(arguments: [
        ("POST", "%zz", 400), ("POST", "", 400), ("POST", "Action", 400), ("PUT", "", 405),
    ])
    func `a body that is not a form is refused`(method: String, body: String, status: Int) throws {
        let harness = try STSHarness()
        for bytes in [Array(body.utf8), Array(body.utf8) + [0xFF]] {
            let response = harness.service.answer(
                STSCall(
                    ServiceCall(
                        method: method, target: "/", headers: [], body: bytes,
                        sourceAddress: "127.0.0.1")))
            expectEqual(response.status, status)
        }
    }
}
