/// Bugs that other implementations had, where the tables of this module do not judge them; each
/// test names its report.
@Suite("Bugs of other implementations")
struct KnownBugTests {
    /// risa-labs/BossConsole#35, ValueMelody/melody-auth PR 502, Eventra#15366.
    @Test func `a challenge beside the signed client data is ignored`() throws {
        let fixture = try Fixture()
        let old = Challenge.generate(random: .seeded(77))
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
}
