import BaseTestSupport
import WebAuthnTestSupport

/// Bugs that other implementations had, as far as they are judged here; each test names its
/// report.
@Suite("Bugs of other implementations")
struct KnownBugTests {
    /// risa-labs/BossConsole#35, ValueMelody/melody-auth PR 502, Eventra#15366.
    @Test func `the challenge inside the signed client data is compared`() throws {
        let fixture = try Fixture()
        let old = Challenge.generate(random: .seeded(77))
        // A correct signature over another challenge, such as a recorded one.
        try expectEqual(
            fixture.assertionFailure { $0.clientData["challenge"] = .string(old.text) },
            .clientData(.wrongChallenge))
        try expectEqual(
            fixture.registrationFailure { $0.clientData["challenge"] = .string(old.text) },
            .clientData(.wrongChallenge))
        // A challenge beside the signed data is ignored.
        var json = try #require(fixture.authenticator.sign(old).objectValue)
        json["challenge"] = .string(fixture.requested.text)
        let response = try AssertionResponse(parsing: .object(json))
        #expect(throws: AssertionFailure.clientData(.wrongChallenge)) {
            try Assertion(
                relyingParty: fixture.relyingParty, challenge: fixture.requested,
                requiresUserVerification: false
            ).verify(response, against: fixture.stored())
        }
    }

    /// risa-labs/BossConsole#35.
    @Test func `the hash of the RP ID is compared`() throws {
        let fixture = try Fixture()
        for other in ["example.com", "app.example.org", "org", "", "EXAMPLE.ORG"] {
            let hash = SoftwareAuthenticator.hash(other)
            try expectEqual(
                fixture.assertionFailure { $0.data.relyingPartyIDHash = hash }, .wrongRelyingParty)
            try expectEqual(
                fixture.registrationFailure { $0.data.relyingPartyIDHash = hash },
                .wrongRelyingParty)
        }
    }

    /// web-auth/webauthn-framework#143, lbuchs/WebAuthn#122, keepassxreboot/keepassxc#10287.
    @Test(arguments: [
        "https://evilexample.org", "https://example.org.evil.example", "https://sub.example.org",
        "https://example.org@evil.example", "https://example.org:444", "http://example.org",
        "https://example.org/", "https://EXAMPLE.ORG", "https://example.org.", "example.org",
        "https://evil.example/https://example.org", "https://example.org%00.evil.example",
    ])
    func `no origin is accepted by its suffix or prefix`(origin: String) throws {
        let fixture = try Fixture()
        try expectEqual(
            fixture.assertionFailure { $0.clientData["origin"] = .string(origin) },
            .clientData(.wrongOrigin))
        try expectEqual(
            fixture.registrationFailure { $0.clientData["origin"] = .string(origin) },
            .clientData(.wrongOrigin))
    }

    /// MasterKale/SimpleWebAuthn GHSA-6hxq-p678-4hr2.
    @Test func `a certificate chain that carries its own root is never trusted`() throws {
        let json = try #require(try VectorFile("generated").json["certificates"])
        let key = try P256PrivateKey(scalar: SecretBytes(CeremonyVector.bytes(json["privateKey"])))
        // Signed by itself, so that it is its own root.
        let der = try CeremonyVector.bytes(json["cases"]?.arrayValue?.first?["der"])
        for chain in [[der], [der, der], [der, der, der]] {
            let registered = try Fixture().register {
                $0.format = "packed"
                $0.statement = [
                    "alg": -7, "sig": .bytes(derSignature(try key.sign($0.signedBytes))),
                    "x5c": .array(chain.map { .bytes($0) }),
                ]
            }
            expectEqual(registered.attestation, .ignored(format: "packed"))
        }
    }

    /// go-webauthn/webauthn 0.16.2: #629, #631.
    @Test func `the outcome has the flags to be stored`() throws {
        var fixture = try Fixture()
        fixture.authenticator.flags = [.userPresent, .backupEligible]
        let registered = try fixture.register()
        #expect(!registered.isUserVerified)
        #expect(!registered.isBackedUp)
        let outcome = try fixture.assert(against: registered.stored(userHandle: [7, 7, 7])) {
            $0.data.flags.formUnion([.userVerified, .backedUp])
        }
        #expect(outcome.isUserVerified)
        #expect(outcome.isBackedUp)
    }

    /// go-webauthn/webauthn 0.12.3: #398.
    @Test func `an AAGUID of zeros is accepted and has no name`() throws {
        var fixture = try Fixture()
        fixture.authenticator.aaguid = [UInt8](repeating: 0, count: 16)
        let registered = try fixture.register()
        #expect(registered.aaguid.isUnknown)
        expectEqual(ProviderNames.builtIn[registered.aaguid], nil)
        _ = try fixture.assert()
    }

    /// go-webauthn/webauthn 0.16.2; Laragear/WebAuthn#47.
    @Test func `a discoverable sign-in without a user handle is accepted`() throws {
        let fixture = try Fixture()
        var json = try #require(fixture.authenticator.sign(fixture.requested).objectValue)
        for handle in [nil, .null, ""] as [JSON?] {
            var response = json["response"]?.objectValue ?? [:]
            response["userHandle"] = handle
            json["response"] = .object(response)
            let parsed = try AssertionResponse(parsing: .object(json))
            _ = try Assertion(
                relyingParty: fixture.relyingParty, challenge: fixture.requested,
                requiresUserVerification: false
            ).verify(parsed, against: fixture.stored())
        }
    }

    /// passwordless-id/webauthn#27 and #38, privacyidea#4391, danny-avila/LibreChat PR 14715.
    @Test func `a counter that is always zero is accepted, but a race is not`() throws {
        let fixture = try Fixture()
        let stored = try fixture.stored()
        for _ in 0..<3 { try expectEqual(fixture.assert(against: stored).counter, .unused) }
        // Two sign-ins with the same counter: the second one finds the first one's value.
        let counting = try fixture.stored(count: 4)
        let first = try fixture.assert(against: counting) { $0.data.signatureCount = 5 }
        let updated = try fixture.stored(count: first.signatureCount)
        try expectEqual(
            fixture.assertionFailure(against: updated) { $0.data.signatureCount = 5 },
            .counterRegressed(stored: 5, received: 5))
    }

    /// The note on duplicate credential IDs in WebAuthn section 7.1.
    @Test func `a response must contain the ID of the registered credential`() throws {
        let fixture = try Fixture()
        let victim = [UInt8](repeating: 9, count: 32)
        try expectEqual(fixture.registrationFailure { $0.id = victim }, .wrongCredentialID)
        try expectEqual(
            fixture.registrationFailure { $0.data.credential?.id = victim }, .wrongCredentialID)
        // With the same ID in both, the caller sees it, and refuses it because it is taken.
        let registered = try fixture.register {
            $0.id = victim
            $0.data.credential?.id = victim
        }
        expectEqual(registered.id.bytes, victim)
    }

    /// The FIDO Alliance's server tests F-9 to F-12 by category.
    @Test func `extra bytes, and data without its flag, are refused`() throws {
        let fixture = try Fixture()
        let extensions = (["credProtect": 2] as CBOR).encoded
        let edits: [(inout AuthenticatorDataDraft) -> Void] = [
            { $0.trailing = [0] }, { $0.extensions = extensions }, { $0.flags.insert(.extensions) },
            {
                $0.flags.insert(.extensions)
                $0.extensions = extensions + extensions
            },
            {
                $0.flags.insert(.extensions)
                $0.extensions = [0x40]
            },
        ]
        for edit in edits {
            #expect(try fixture.registrationFailure { edit(&$0.data) } != nil)
            #expect(try fixture.assertionFailure { edit(&$0.data) } != nil)
        }
        try expectEqual(
            fixture.registrationFailure { $0.data.flags.remove(.attestedCredential) },
            .attestationObject(.authenticatorData(.trailingBytes)))
        try expectEqual(
            fixture.registrationFailure { $0.data.credential = nil },
            .attestationObject(.authenticatorData(.truncated)))
    }
}
