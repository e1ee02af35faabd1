import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties
import JOSE

@Suite struct MintTests {
    @Test func `an empty object mints Apple's token for the first client`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.verify(
            try harness.mint("apple"), "apple", IdentityServiceHarness.appleClient)
        let claims = token.claims
        expectEqual(token.header["kid"], token.header["kid"])
        expectEqual(token.header["alg"], "RS256")
        expectEqual(token.header["typ"], nil)
        expectEqual(claims["iss"], "http://127.0.0.1:8000/_idp/apple")
        expectEqual(claims["aud"], "com.example.app")
        expectEqual(claims["iat"], .number(noon.seconds))
        expectEqual(claims["exp"], .number(noon.seconds + 86_400))
        expectEqual(claims["nonce_supported"], true)
        expectEqual(claims["email"], "ada@example.com")
        expectEqual(claims["email_verified"], "true")
        expectEqual(claims["is_private_email"], nil)
        expectEqual(claims["name"], nil)
        let parts = try #require(token.subject).split(separator: ".")
        expectEqual(parts.map(\.utf8.count), [6, 32, 4])
    }

    @Test func `an empty object mints Google's token for the first client`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.verify(
            try harness.mint("google"), "google", IdentityServiceHarness.googleClient)
        let claims = token.claims
        expectEqual(claims["azp"], .string(IdentityServiceHarness.googleClient))
        expectEqual(claims["exp"], .number(noon.seconds + 3600))
        expectEqual(claims["email"], "ada@example.com")
        expectEqual(claims["email_verified"], true)
        expectEqual(claims["hd"], "example.com")
        expectEqual(claims["name"], "Ada Lovelace")
        expectEqual(claims["given_name"], "Ada")
        expectEqual(claims["family_name"], "Lovelace")
        let subject = try #require(token.subject)
        expectEqual(subject.utf8.count, 21)
        #expect(subject.utf8.allSatisfy { (0x30...0x39).contains($0) })
    }

    @Test func `an empty body is accepted`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call("POST", "/_idp/acme/mint")
        let token = try #require(answer.json["idToken"]?.stringValue)
        try expectEqual(harness.verify(token, "acme", "acme-client").claims["name"], "Ada Lovelace")
        expectEqual(answer.header("cache-control"), "no-store")
    }

    @Test func `the token has the requested claims`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.verify(
            try harness.mint(
                "google",
                [
                    "email": "alan.turing@gmail.com", "sub": "42", "audience": "mine",
                    "nonce": "n-1", "expiresIn": 30, "claims": ["hd": .null, "locale": "en"],
                ]), "google", "mine")
        expectEqual(token.subject, "42")
        expectEqual(token.claims["azp"], "mine")
        expectEqual(token.claims["nonce"], "n-1")
        expectEqual(token.claims["exp"], .number(noon.seconds + 30))
        expectEqual(token.claims["locale"], "en")
        expectEqual(token.claims["name"], "Alan Turing")
        // Private accounts have no organisation.
        expectEqual(token.claims["hd"], nil)
    }

    @Test func `an override of null removes a claim, and others replace it`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.verify(
            try harness.mint(
                "apple",
                ["claims": ["email": .null, "email_verified": false, "real_user_status": 2]]),
            "apple", IdentityServiceHarness.appleClient)
        expectEqual(token.claims["email"], nil)
        expectEqual(token.claims["email_verified"], false)
        expectEqual(token.claims["real_user_status"], 2)
    }

    @Test func `a hidden address is replaced by a stable relay address`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let tokens = try (0..<2).map { _ in
            try harness.verify(
                try harness.mint("apple", ["hideEmail": true]), "apple",
                IdentityServiceHarness.appleClient)
        }
        let address = try #require(tokens[0].claims["email"]?.stringValue)
        #expect(address.hasSuffix("@privaterelay.appleid.com"))
        expectEqual(tokens[0].claims["is_private_email"], "true")
        expectEqual(tokens[1].claims["email"]?.stringValue, address)
    }

    @Test
    func `an account has the same subject in every emulator, whatever the case of its address`()
        throws
    {
        let harness = try IdentityServiceHarness.shared.get()
        let other = try IdentityServiceHarness()
        let first = try harness.verify(
            try harness.mint("acme", ["email": "Bob@Example.com"]), "acme", "acme-client")
        let second = try other.verify(
            try other.mint("acme", ["email": "bob@example.com"]), "acme", "acme-client")
        let third = try harness.verify(
            try harness.mint("acme", ["email": "bob2@example.com"]), "acme", "acme-client")
        expectEqual(first.subject, second.subject)
        #expect(first.subject != third.subject)
    }

    @Test func `Apple's subjects and relay addresses are per team`() throws {
        let harness = try IdentityServiceHarness(
            IdentityConfiguration(issuers: [
                IssuerDefinition(
                    name: "apple", kind: .apple,
                    clients: ["A", "B", "B2"].map {
                        ClientDefinition(id: $0, teamID: "TEAM\($0.prefix(1))")
                    })
            ]))
        let tokens = try ["A", "B", "B2"].map { id in
            try harness.verify(
                try harness.mint("apple", ["audience": .string(id), "hideEmail": true]), "apple", id
            )
        }
        #expect(tokens[0].subject != tokens[1].subject)
        expectEqual(tokens[1].subject, tokens[2].subject)
        #expect(tokens[0].claims["email"] != tokens[1].claims["email"])
    }

    @Test(arguments: [Int64(-3600), -90, 90, 3600])
    func `the provider's clock may be skewed`(seconds: Int64) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let token = try harness.mint("acme", ["skewSeconds": .number(seconds)])
        let expectations = TokenExpectations(
            issuers: ["\(IdentityServiceHarness.base)/_idp/acme"], audiences: ["acme-client"],
            types: [nil],
            now: noon + .seconds(seconds), leeway: .zero)
        let verified = try JWT.verify(token, keys: harness.keys("acme"), expecting: expectations)
        expectEqual(verified.issuedAt, noon + .seconds(seconds))
    }

    @Test(arguments: [
        ("[]", "mint: not an object"),
        ("{\"email\":1}", "mint: email must be a string"),
        ("{\"email\":\"nobody\"}", "mint: email is not a valid e-mail address"),
        ("{\"email\":\"a@b@c\"}", "mint: email is not a valid e-mail address"),
        ("{\"email\":\"<b>@c\"}", "mint: email is not a valid e-mail address"),
        ("{\"mail\":\"a@b\"}", "mint: unknown member; expected email, name, sub"),
        ("{\"expiresIn\":\"1h\"}", "mint: expiresIn must be a whole number"),
        ("{\"expiresIn\":1e3}", "mint: expiresIn must be a whole number"),
        ("{\"expiresIn\":99999999}", "mint: expiresIn must be a whole number"),
        ("{\"audience\":[1]}", "mint: audience must be a string or a list"),
        ("{\"audience\":\"a b\"}", "mint: audience must be a client id"),
        ("{\"claims\":[]}", "mint: claims must be an object"),
        ("{\"hideEmail\":\"yes\"}", "mint: hideEmail must be true or false"),
        ("{\"nonce\":\"\"}", "mint: nonce must be a string of 1"),
        (
            "{\"fault\":\"nonsense\"}",
            "mint: unknown fault. Token faults: unknown-kid"
        ),
        ("{\"fault\":[\"expired\",\"nonsense\"]}", "mint: unknown fault"),
        ("{", "The body is not valid JSON"),
        ("{\"sub\":\"a\",\"sub\":\"b\"}", "The body is not valid JSON"),
        ("{} {}", "The body is not valid JSON"),
        (
            "{\"sub\":\"\(String(repeating: "x", count: 256))\"}",
            "mint: sub must be at most 255 bytes"
        ),
        (
            "{\"name\":\"\(String(repeating: "x", count: 129))\"}",
            "mint: name must be at most 128 bytes"
        ),
    ])
    func `an invalid request is rejected with a message`(body: String, words: String) throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.call("POST", "/_idp/acme/mint", body: body)
        expectEqual(answer.status, 400)
        let message = try #require(answer.json["message"]?.stringValue)
        #expect(message.hasPrefix(words), "\(message)")
    }

    @Test func `an unknown fault gets an error with all valid ones`() throws {
        let harness = try IdentityServiceHarness.shared.get()
        let answer = try harness.post("/_idp/acme/mint", json: ["fault": "?"])
        let message = try #require(answer.json["message"]?.stringValue)
        let list = try harness.get("/_idp/acme/faults").json["token"]?.arrayValue ?? []
        #expect(list.count > 30)
        for fault in list {
            #expect(message.contains(try #require(fault["name"]?.stringValue)))
            expectEqual(fault["says"]?.stringValue?.hasSuffix("."), true)
        }
    }

    @Test func `missing keys are generated for the first token and kept`() throws {
        let scratch = try TemporaryDatabase()
        func published() throws -> [String?] {
            let harness = try IdentityServiceHarness(directory: scratch.path)
            let token = try harness.mint("apple")
            let identity = try harness.verify(token, "apple", IdentityServiceHarness.appleClient)
            #expect(identity.subject != nil)
            return try harness.keys("apple").keys.map(\.kid)
        }
        let first = try published()
        expectEqual(first.count, 2)
        try expectEqual(published(), first)
    }
}
