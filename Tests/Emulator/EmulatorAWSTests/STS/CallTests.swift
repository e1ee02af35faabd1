import AWSSignature
import BaseTestSupport
import EmulatorAWS
import XML

@Suite struct CallTests {
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
