@Suite("Generated vectors")
struct GeneratedVectorTests {
    private let file: VectorFile

    init() throws { file = try VectorFile("generated") }

    @Test func `every pair is accepted with its original values`() throws {
        let relyingParty = try file.relyingParty(embedded: true)
        for vector in file.cases {
            let expected = vector.expected
            let registered = try vector.register(relyingParty)
            let attestation: Attestation =
                switch expected["attestation"]?.stringValue {
                case "none": .none
                case "self": .selfSigned
                default: .ignored(format: "packed")
                }
            expectEqual(registered.attestation, attestation, "\(vector.name)")
            expectEqual(registered.id, try vector.credentialID)
            expectEqual(registered.aaguid.bytes, try CeremonyVector.bytes(expected["aaguid"]))
            expectEqual(registered.publicKey.algorithm.rawValue, expected["algorithm"]?.int64Value)
            let counts = try #require(expected["counts"]?.arrayValue).compactMap(\.int64Value)
            expectEqual(Int64(registered.signatureCount), counts[0])
            let flags = try Self.flags(expected["registrationFlags"])
            expectEqual(registered.isUserVerified, flags.contains(.userVerified))
            expectEqual(registered.isBackupEligible, flags.contains(.backupEligible))
            expectEqual(registered.isBackedUp, flags.contains(.backedUp))
            let outcome = try vector.assert(relyingParty, registered)
            let later = try Self.flags(expected["authenticationFlags"])
            expectEqual(Int64(outcome.signatureCount), counts[1])
            expectEqual(outcome.counter, counts == [0, 0] ? .unused : .advanced)
            expectEqual(outcome.isUserVerified, later.contains(.userVerified))
            expectEqual(outcome.isBackedUp, later.contains(.backedUp))
        }
        expectEqual(file.cases.count, 100)
    }

    private static func flags(_ json: JSON?) throws -> AuthenticatorFlags {
        AuthenticatorFlags(rawValue: UInt8(try #require(json?.int64Value)))
    }

    @Test func `attestation objects are written unchanged`() throws {
        let limits = CBORLimits(bytesMax: 1 << 15, depthMax: 8, itemsMax: 256)
        for vector in file.cases {
            let bytes = try vector.bytes("registration", "attestationObject")
            try expectEqual(CBOR.parse(bytes, limits: limits).encoded, bytes)
        }
    }
}
