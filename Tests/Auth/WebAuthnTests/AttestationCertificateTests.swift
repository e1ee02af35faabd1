@Suite("Attestation certificates")
struct AttestationCertificateTests {
    private static let verdicts: [String: AttestationFailure] = [
        "badCertificate": .badCertificate, "wrongAAGUID": .wrongAAGUID,
    ]

    /// Each certificate of the vectors signs a registration.
    @Test func `a certificate meets the requirements or is refused`() throws {
        let json = try #require(try VectorFile("generated").json["certificates"])
        let key = try P256PrivateKey(scalar: SecretBytes(CeremonyVector.bytes(json["privateKey"])))
        let cases = try #require(json["cases"]?.arrayValue)
        expectEqual(cases.count, 21)
        var fixture = try Fixture()
        fixture.authenticator.aaguid = try CeremonyVector.bytes(json["aaguid"])
        for test in cases {
            let name = test["name"]?.stringValue ?? ""
            let verdict = try #require(test["verdict"]?.stringValue)
            let der = try CeremonyVector.bytes(test["der"])
            let failure = try fixture.registrationFailure {
                $0.format = "packed"
                $0.statement = [
                    "alg": -7, "sig": .bytes(derSignature(try key.sign($0.signedBytes))),
                    "x5c": [.bytes(der)],
                ]
            }
            expectEqual(failure, Self.verdicts[verdict].map { .attestation($0) }, "\(name)")
        }
    }

    @Test(
        arguments: [
            (-8, .badCertificate), (-257, .badCertificate), (-35, .badCertificate),
            (-36, .badCertificate), (-37, .unsupportedAlgorithm), (0, .unsupportedAlgorithm),
        ] as [(Int64, AttestationFailure)])
    func `the algorithm must match the certificate's key`(
        algorithm: Int64, verdict: AttestationFailure
    ) throws {
        let json = try #require(try VectorFile("generated").json["certificates"])
        let der = try CeremonyVector.bytes(json["cases"]?.arrayValue?.first?["der"])
        let failure = try Fixture().registrationFailure {
            $0.format = "packed"
            $0.statement = ["alg": .integer(algorithm), "sig": .bytes([1]), "x5c": [.bytes(der)]]
        }
        expectEqual(failure, .attestation(verdict))
    }

    @Test func `the curve must match the algorithm`() throws {
        let file = try VectorFile("generated")
        // Its certificate has a key on P-384, which signed with SHA-384.
        let vector = try #require(file.cases.first { $0.name == "ES256 16 certificate" })
        let response = try vector.registrationResponse
        let object = try AttestationObject(parsing: response.attestationObject)
        let signature = try #require(object.statement["sig"])
        let chain = try #require(object.statement["x5c"])
        let verdicts: [(Int64, AttestationFailure?)] = [(-35, nil), (-36, .badCertificate)]
        for (algorithm, failure) in verdicts {
            let item: CBOR = [
                "fmt": "packed", "authData": .bytes(object.authenticatorData.bytes),
                "attStmt": ["alg": .integer(algorithm), "sig": signature, "x5c": chain],
            ]
            let registration = Registration(
                relyingParty: try file.relyingParty(embedded: false),
                challenge: try #require(Challenge(vector.bytes("registration", "challenge"))),
                requiresUserVerification: false)
            var verdict: RegistrationFailure?
            do throws(RegistrationFailure) {
                _ = try registration.verify(
                    RegistrationResponse(
                        id: response.id, clientDataJSON: response.clientDataJSON,
                        attestationObject: item.encoded))
            } catch {
                verdict = error
            }
            expectEqual(verdict, failure.map { .attestation($0) })
        }
    }

    @Test func `a signature by another key is refused`() throws {
        let json = try #require(try VectorFile("generated").json["certificates"])
        let der = try CeremonyVector.bytes(json["cases"]?.arrayValue?.first?["der"])
        let failure = try Fixture().registrationFailure {
            // By the credential itself, which is what self attestation would be.
            let signature = try SoftwareKey.es256(seed: 1).sign($0.signedBytes)
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes(signature), "x5c": [.bytes(der)]]
        }
        expectEqual(failure, .attestation(.badSignature))
    }
}
