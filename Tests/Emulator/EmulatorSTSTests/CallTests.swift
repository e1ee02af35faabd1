import AWSSignature
import Bytes
import EmulatorIAM
import EmulatorSTS
import HTTP
import Testing
import Time
import XML

@Suite struct CallTests {
    @Test func `unknown credentials are rejected with the right error`() throws {
        let stage = try STSHarness()
        try stage.call("GetCallerIdentity").expect(
            403, "MissingAuthenticationToken", "Request is missing Authentication Token")
        let unknown = AWSCredentials(
            accessKeyID: "AKIANOBODY", secretAccessKey: SecretBytes(utf8: "x"))
        try stage.call("GetCallerIdentity", as: unknown).expect(
            403, "InvalidClientTokenId", "The security token included in the request is invalid.")
        let forged = AWSCredentials(
            accessKeyID: stage.developer.accessKeyID, secretAccessKey: SecretBytes(utf8: "x"))
        try stage.call("GetCallerIdentity", as: forged).expect(403, "SignatureDoesNotMatch")
        try stage.call("GetCallerIdentity", as: stage.developer, at: start - .minutes(6)).expect(
            403, "SignatureDoesNotMatch",
            "Signature expired: 20231114T220720Z is now earlier than 20231114T220820Z "
                + "(20231114T221320Z - 5 min.)")
        let session = try stage.call("GetSessionToken", as: stage.developer).credentials()
        let later = try STSHarness(now: start + .hours(12))
        try later.call("GetCallerIdentity", as: session, at: start + .hours(12)).expect(
            403, "ExpiredToken", "The security token included in the request is expired")
    }

    @Test func `GetSessionToken only accepts long-term keys`() throws {
        let stage = try STSHarness()
        let session = try stage.call(
            "GetSessionToken", [("DurationSeconds", "900")], as: stage.developer
        ).credentials()
        #expect(session.expiresAt == start + .minutes(15))
        let who = try stage.call("GetCallerIdentity", as: session).result
        #expect(who?["Arn"]?.text == "arn:aws:iam::123456789012:user/developer")
        try stage.call("GetSessionToken", as: session).expect(
            403, "AccessDenied", "Cannot call GetSessionToken with session credentials")
        try stage.call("GetSessionToken", [("DurationSeconds", "129601")], as: stage.developer)
            .expect(400, "ValidationError")
    }

    @Test func `GetAccessKeyInfo returns the account`() throws {
        let stage = try STSHarness()
        let info = try stage.call(
            "GetAccessKeyInfo", [("AccessKeyId", "AKIAIOSFODNN7EXAMPLE")], as: stage.developer)
        #expect(info.result?["Account"]?.text == account)
        try stage.call("GetAccessKeyInfo", [("AccessKeyId", "short")], as: stage.developer)
            .expect(400, "ValidationError")
    }

    @Test func `an unknown operation is refused with the API version`() throws {
        let stage = try STSHarness()
        try stage.call("AssumeRoles", as: stage.developer).expect(
            400, "InvalidAction", "Could not find operation AssumeRoles for version 2011-06-15")
        try stage.call("AssumeRole", as: stage.developer, version: "2010-01-01").expect(
            400, "InvalidAction", "Could not find operation AssumeRole for version 2010-01-01")
        try stage.call("GetFederationToken", as: stage.developer).expect(501, "NotImplemented")
    }

    @Test func `GET requests with a query are supported`() throws {
        let stage = try STSHarness()
        let query = "Action=GetCallerIdentity&Version=2011-06-15"
        let request = try Signer(stage.developer, region: "us-east-1", service: "sts").sign(
            HTTPRequest(.get, "http://127.0.0.1:8001/?\(query)"), at: start)
        let answer = try STSTestResponse(
            stage.service.answer(
                ServiceCall(
                    method: "GET", target: "/?\(query)", headers: request.headers, body: [],
                    sourceAddress: "127.0.0.1")))
        #expect(answer.result?["Account"]?.text == account)
    }

    @Test(arguments: [
        ("POST", "%zz", 400), ("POST", "", 400), ("POST", "Action", 400), ("PUT", "", 405),
    ])
    func `a body that is not a form is refused`(method: String, body: String, status: Int) throws {
        let stage = try STSHarness()
        for bytes in [Array(body.utf8), Array(body.utf8) + [0xFF]] {
            let response = stage.service.answer(
                ServiceCall(
                    method: method, target: "/", headers: [], body: bytes,
                    sourceAddress: "127.0.0.1"))
            #expect(response.status == status)
        }
    }
}
