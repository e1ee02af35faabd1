import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import IdentityProviders
import JOSE

@Suite struct AppleClientTests {
    private func registered(_ developer: AppleDeveloper) throws -> IdentityServiceHarness {
        let harness = try IdentityServiceHarness()
        let answer = try harness.put(
            "/_idp/apple/clients/\(IdentityServiceHarness.appleClient)",
            json: developer.registration)
        try #require(answer.status == 200, "\(answer.text)")
        return harness
    }

    @Test func `a valid client secret is accepted`() throws {
        let developer = try AppleDeveloper()
        let harness = try registered(developer)
        for secret in [
            try developer.secret(),
            try developer.secret(audience: "\(IdentityServiceHarness.base)/_idp/apple"),
            try developer.secret([("exp", .number(noon.seconds + 15_777_000))]),
            try developer.secret([("iat", .number(noon.seconds - 86_400))]),
        ] {
            let answer = try harness.redeem(
                .apple, try harness.code(.apple), [("client_secret", secret)])
            expectEqual(answer.status, 200, "\(answer.text) \(harness.environment.log)")
        }
    }

    @Test(arguments: [false, true])
    func `an invalid client secret is rejected and the reason is logged`(
        isRegistered: Bool
    ) throws {
        let developer = try AppleDeveloper()
        let harness = isRegistered ? try registered(developer) : try IdentityServiceHarness()
        let parts = try developer.secret().split(separator: ".").map(String.init)
        let hs256 = try JWS.sign(
            Array("{}".utf8), header: ["kid": "k"],
            with: try .secret(SecretBytes([UInt8](repeating: 1, count: 32))))
        var bad: [(String, String)] = [
            (try developer.secret([("iss", nil)]), "iss is missing"),
            (try developer.secret([("sub", "com.example.other")]), "sub is not the client_id"),
            (try developer.secret([("aud", "https://apple.com")]), "aud is wrong"),
            (try developer.secret([("aud", nil)]), "aud is wrong"),
            (try developer.secret([("iat", nil)]), "no iat or no exp"),
            (try developer.secret([("exp", nil)]), "no iat or no exp"),
            (try developer.secret([("exp", "tomorrow")]), "no iat or no exp"),
            (try developer.secret([("exp", .number(noon.seconds))]), "has expired"),
            (try developer.secret([("exp", .number(noon.seconds + 15_777_001))]), "15777000"),
            (try developer.secret([("iat", .number(noon.seconds + 301))]), "in the future"),
            (try developer.secret(header: [:]), "kid is missing"),
            (hs256, "not signed with ES256"), ("secret", "not a JWT"),
            ("\(parts[0]).\(parts[1])", "not a JWT"), ("\(parts[0]).\(parts[1]).AA", "signature"),
        ]
        if isRegistered {
            let otherDeveloper = try AppleDeveloper(random: 6)
            bad += [
                (try otherDeveloper.secret(), "signature of the client secret is wrong"),
                (try AppleDeveloper(kid: "OTHERKEY00").secret(), "not registered: OTHERKEY00"),
                (try developer.secret([("iss", "OTHERTEAM0")]), "iss is not the team id"),
            ]
        }
        for (secret, words) in bad {
            let answer = try harness.redeem(.apple, "any", [("client_secret", secret)])
            expectEqual(answer.status, 400)
            expectEqual(answer.json, ["error": "invalid_client"])
            expectEqual(
                harness.environment.log.last?.contains(words), true,
                "\(harness.environment.log.last ?? "")")
        }
        for change in [("client_secret", nil), ("client_id", nil)] as [(String, String?)] {
            try expectEqual(harness.redeem(.apple, "any", [change]).error, "invalid_client")
        }
    }

    @Test func `without a registered key the log reports that the signature was not checked`()
        throws
    {
        let harness = try IdentityServiceHarness()
        let otherDeveloper = try AppleDeveloper(random: 99)
        let answer = try harness.redeem(
            .apple, try harness.code(.apple), [("client_secret", otherDeveloper.secret())])
        expectEqual(answer.status, 200)
        expectEqual(harness.environment.log.last?.contains("was not checked"), true)
    }

    @Test func `a key may be registered as PEM`() throws {
        let developer = try AppleDeveloper()
        let jwk = try #require(developer.key.publicJWK)
        func bytes(_ name: String) -> [UInt8] {
            Base64URL.decode(jwk[name]?.stringValue ?? "") ?? []
        }
        let pem = try P256PublicKey(x: bytes("x"), y: bytes("y")).pem()
        let harness = try IdentityServiceHarness()
        let answer = try harness.put(
            "/_idp/apple/clients/\(IdentityServiceHarness.appleClient)",
            json: ["publicKeys": [["keyId": .string(developer.key.kid), "pem": .string(pem)]]])
        expectEqual(answer.status, 200, "\(answer.text)")
        expectEqual(answer.json["publicKeys"]?.arrayValue?.first?["jwk"]?["x"], jwk["x"])
        let code = try harness.code(.apple)
        try expectEqual(
            harness.redeem(
                .apple, code, [("client_secret", AppleDeveloper(random: 6).secret())]
            ).error, "invalid_client")
        try expectEqual(
            harness.redeem(.apple, code, [("client_secret", developer.secret())]).status, 200)
    }
}
