@Suite("The vectors of WebAuthn section 16")
struct SpecificationVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("specification") }

    private static let verdicts: [(String, Attestation)] = [
        ("none-es256", .none), ("packed-self-es256", .selfSigned),
        ("none-es256-crossOrigin", .none), ("none-es256-topOrigin", .none),
        ("none-es256-long-credential-id", .none), ("packed-es256", .ignored(format: "packed")),
        ("packed-es384", .ignored(format: "packed")), ("packed-es512", .ignored(format: "packed")),
        ("packed-rs256", .ignored(format: "packed")), ("packed-eddsa", .ignored(format: "packed")),
        ("tpm-es256", .ignored(format: "tpm")),
        ("android-key-es256", .ignored(format: "android-key")),
        ("apple-es256", .ignored(format: "apple")),
        ("fido-u2f-es256", .ignored(format: "fido-u2f")),
    ]

    @Test func `the file has the 14 tested cases and Ed448`() {
        expectEqual(
            file.cases.map(\.name).sorted(), (Self.verdicts.map(\.0) + ["packed-ed448"]).sorted())
    }

    @Test(arguments: verdicts)
    func `registration and assertion are accepted`(name: String, attestation: Attestation) throws {
        let vector = try #require(file.cases.first { $0.name == name })
        let relyingParty = try file.relyingParty(embedded: true)
        let registered = try vector.register(relyingParty)
        expectEqual(registered.attestation, attestation)
        expectEqual(registered.id, try vector.credentialID)
        expectEqual(registered.aaguid.bytes, try CeremonyVector.bytes(vector.expected["aaguid"]))
        expectEqual(registered.signatureCount, 0)
        let outcome = try vector.assert(relyingParty, registered)
        expectEqual(outcome.counter, .unused)
        expectEqual(outcome.signatureCount, 0)
    }

    @Test func `Ed448 is refused by its algorithm`() throws {
        let vector = try #require(file.cases.first { $0.name == "packed-ed448" })
        #expect(
            throws: RegistrationFailure.attestationObject(
                .authenticatorData(.publicKey(.unsupportedAlgorithm)))
        ) { try vector.register(file.relyingParty(embedded: true)) }
    }

    @Test(arguments: ["none-es256-crossOrigin", "none-es256-topOrigin"])
    func `a frame of another site is refused by default`(name: String) throws {
        let vector = try #require(file.cases.first { $0.name == name })
        #expect(throws: RegistrationFailure.clientData(.crossOrigin)) {
            try vector.register(file.relyingParty(embedded: false))
        }
        let registered = try vector.register(file.relyingParty(embedded: true))
        #expect(throws: AssertionFailure.clientData(.crossOrigin)) {
            try vector.assert(file.relyingParty(embedded: false), registered)
        }
    }

    @Test func `an algorithm that is not offered is refused`() throws {
        let all = try file.relyingParty(embedded: true)
        let offered = RelyingParty(id: all.id, name: all.name, origins: all.origins)
        expectEqual(offered.algorithms, [.edDSA, .es256, .rs256])
        for name in ["packed-es256", "packed-eddsa", "packed-rs256"] {
            let vector = try #require(file.cases.first { $0.name == name })
            _ = try vector.register(offered)
        }
        for name in ["packed-es384", "packed-es512"] {
            let vector = try #require(file.cases.first { $0.name == name })
            #expect(throws: RegistrationFailure.algorithmNotOffered) {
                try vector.register(offered)
            }
        }
    }
}
