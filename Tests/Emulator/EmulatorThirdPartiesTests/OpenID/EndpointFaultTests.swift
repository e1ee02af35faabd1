import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import IdentityProviders
import JOSE

@Suite struct EndpointFaultTests {
    private func harness() throws -> IdentityServiceHarness {
        try IdentityServiceHarness(IdentityConfiguration(issuers: [IdentityServiceHarness.acme]))
    }

    private func refusal(_ harness: IdentityServiceHarness) throws -> IdentityProviders
        .IdentityFailure?
    {
        guard
            case .refused(let failure) = harness.verdict(
                try harness.mint("acme"), try harness.acmeProvider())
        else { return nil }
        return failure
    }

    @Test(arguments: [
        ("jwks-500", KeyFetchFailure.serverError), ("jwks-empty", .noUsableKey),
        ("jwks-duplicate-kid", .duplicateKeyID), ("jwks-html", .malformedKeySet),
        ("discovery-500", .serverError), ("discovery-wrong-issuer", .issuerMismatch),
        ("jwks-slow", .timedOut),
    ])
    func `functions see a fault of the key set`(fault: String, failure: KeyFetchFailure) throws {
        let harness = try harness()
        let on = try harness.put("/_idp/acme/faults", json: ["name": .string(fault)])
        expectEqual(on.status, 200)
        expectEqual(on.json["on"]?.arrayValue?.first?["name"], .string(fault))
        try expectEqual(refusal(harness), .keysUnavailable(failure))
        let off = try harness.call("DELETE", "/_idp/acme/faults")
        expectEqual(off.json["on"], [])
        try expectEqual(refusal(harness), nil)
    }

    @Test func `a slow key set is sent after its delay`() throws {
        let harness = try harness()
        _ = try harness.put(
            "/_idp/acme/faults", json: ["name": "jwks-slow", "delayMilliseconds": 700])
        let box = IdentityServiceHarness.ResponseBox()
        harness.service.handle(ServerRequest(method: "GET", target: "/_idp/acme/keys")) {
            box.set($0)
        }
        harness.environment.advance(.milliseconds(699))
        expectEqual(box.count, 0)
        harness.environment.advance(.milliseconds(1))
        expectEqual(box.value?.status, 200)
        expectEqual(box.count, 1)
    }

    @Test func `the in-process key set is nil while it has a fault`() throws {
        let harness = try harness()
        let issuer = "\(IdentityServiceHarness.base)/_idp/acme"
        #expect(harness.service.keySet(issuer: issuer) != nil)
        _ = try harness.put("/_idp/acme/faults", json: ["name": "jwks-500", "count": 1])
        #expect(harness.service.keySet(issuer: issuer) == nil)
        // The in-process lookup does not count.
        try expectEqual(harness.get("/_idp/acme/keys").status, 500)
        #expect(harness.service.keySet(issuer: issuer) != nil)
    }

    @Test func `a rotation that keeps the old key leaves old tokens valid`() throws {
        let harness = try harness()
        let verifier = harness.verifier()
        let provider = try harness.acmeProvider()
        let old = try harness.mint("acme")
        expectEqual(harness.verdict(old, provider, by: verifier), .welcome)
        _ = try harness.put("/_idp/acme/faults", json: ["name": "rotated-old-kept"])
        let new = try harness.mint("acme")
        #expect(try CompactToken(parsing: old).kid != CompactToken(parsing: new).kid)
        try expectEqual(harness.keys("acme").keys.count, 3)
        // The cache does not have the new kid, and may fetch again after a minute.
        harness.environment.advance(.seconds(61))
        expectEqual(harness.verdict(new, provider, by: verifier), .welcome)
        expectEqual(harness.verdict(old, provider, by: verifier), .welcome)
        let previous = try harness.mint("acme", ["fault": "previous-key"])
        try expectEqual(CompactToken(parsing: previous).kid, CompactToken(parsing: old).kid)
        expectEqual(harness.verdict(previous, provider), .welcome)
    }

    @Test func `a rotation that drops the old key invalidates old tokens`() throws {
        let harness = try harness()
        let provider = try harness.acmeProvider()
        let old = try harness.mint("acme")
        _ = try harness.put("/_idp/acme/faults", json: ["name": "rotated-old-dropped"])
        try expectEqual(harness.keys("acme").keys.count, 2)
        expectEqual(harness.verdict(old, provider), .refused(.unknownKeyID))
        expectEqual(harness.verdict(try harness.mint("acme"), provider), .welcome)
        let previous = try harness.mint("acme", ["fault": "previous-key"])
        try expectEqual(CompactToken(parsing: previous).kid, CompactToken(parsing: old).kid)
        expectEqual(harness.verdict(previous, provider), .refused(.unknownKeyID))
        // A rotation is done at once and is not listed as active.
        try expectEqual(harness.get("/_idp/acme/faults").json["on"], [])
    }

    @Test func `repeated rotations keep the key set small`() throws {
        let harness = try harness()
        for index in 0..<12 {
            let name: JSON = index % 3 == 0 ? "rotated-old-dropped" : "rotated-old-kept"
            _ = try harness.put("/_idp/acme/faults", json: ["name": name])
            let count = try harness.keys("acme").keys.count
            #expect((2...4).contains(count))
            expectEqual(
                harness.verdict(try harness.mint("acme"), try harness.acmeProvider()), .welcome)
        }
    }

    @Test func `a request to the token endpoint that times out uses up the code`() throws {
        let harness = try IdentityServiceHarness()
        let code = try harness.code(.google)
        _ = try harness.put("/_idp/google/faults", json: ["name": "token-timeout", "count": 1])
        let box = IdentityServiceHarness.ResponseBox()
        let form = [
            ("grant_type", "authorization_code"), ("code", code),
            ("client_id", IdentityServiceHarness.googleClient),
            ("redirect_uri", ClientApp.callback), ("code_verifier", ClientApp.verifier),
        ]
        harness.service.handle(
            ServerRequest(
                method: "POST", target: "/_idp/google/token",
                headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(PercentEncoding.form(form).utf8))
        ) { box.set($0) }
        harness.environment.advance(.seconds(29))
        expectEqual(box.count, 0)
        harness.environment.advance(.seconds(1))
        expectEqual(box.value?.status, 200)
        try expectEqual(harness.redeem(.google, code).error, "invalid_grant")
    }
}
