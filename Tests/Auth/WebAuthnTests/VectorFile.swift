import Bytes
import Foundation
import JSON
import Testing
import WebAuthn

/// A file of pairs of ceremonies; see `Vectors/README.md`.
struct VectorFile {
    let json: JSON
    let cases: [CeremonyVector]

    init(_ name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Vectors/\(name).json")
        json = try JSON.parse(
            [UInt8](Data(contentsOf: file)), limits: JSONLimits(bytesMax: 1 << 20, depthMax: 8))
        cases = try #require(json["cases"]?.arrayValue).map(CeremonyVector.init)
    }

    /// Accepts every algorithm and, if wanted, frames in the vectors' top origin.
    func relyingParty(embedded: Bool) throws -> RelyingParty {
        let id = try #require(json["rpId"]?.stringValue)
        let origin = try #require(json["origin"]?.stringValue)
        let topOrigin = try #require(json["topOrigin"]?.stringValue)
        return RelyingParty(
            id: try #require(RelyingPartyID(parsing: id)),
            name: "Vectors", origins: try OriginList(parsing: origin),
            embedding: embedded
                ? .allowed(topOrigins: try OriginList(parsing: topOrigin), acceptsUnnamed: true)
                : .refused,
            algorithms: COSEAlgorithm.allCases)
    }
}

/// A registration and an assertion with the credential that it made.
struct CeremonyVector {
    let name: String
    let expected: JSON
    private let json: JSON

    init(_ json: JSON) throws {
        self.json = json
        name = try #require(json["name"]?.stringValue)
        expected = try #require(json["expected"])
    }

    func bytes(_ ceremony: String, _ member: String) throws -> [UInt8] {
        try Self.bytes(json[ceremony]?[member])
    }

    static func bytes(_ json: JSON?) throws -> [UInt8] {
        let text = try #require(json?.stringValue)
        return try #require(Hex.decode(text))
    }

    private func challenge(_ ceremony: String) throws -> Challenge {
        try #require(Challenge(bytes(ceremony, "challenge")))
    }

    var credentialID: CredentialID {
        get throws { try #require(CredentialID(Self.bytes(expected["credentialId"]))) }
    }

    var registrationResponse: RegistrationResponse {
        get throws {
            RegistrationResponse(
                id: try credentialID, clientDataJSON: try bytes("registration", "clientDataJSON"),
                attestationObject: try bytes("registration", "attestationObject"))
        }
    }

    var assertionResponse: AssertionResponse {
        get throws {
            AssertionResponse(
                id: try credentialID,
                clientDataJSON: try bytes("authentication", "clientDataJSON"),
                authenticatorData: try bytes("authentication", "authenticatorData"),
                signature: try bytes("authentication", "signature"))
        }
    }

    func register(_ relyingParty: RelyingParty) throws -> RegisteredCredential {
        try Registration(
            relyingParty: relyingParty, challenge: challenge("registration"),
            requiresUserVerification: false
        ).verify(registrationResponse)
    }

    func assert(
        _ relyingParty: RelyingParty, _ registered: RegisteredCredential,
        _ response: AssertionResponse? = nil
    ) throws -> AssertionOutcome {
        try Assertion(
            relyingParty: relyingParty, challenge: challenge("authentication"),
            requiresUserVerification: false
        ).verify(response ?? assertionResponse, against: registered.stored())
    }
}

extension RegisteredCredential {
    /// As it comes back from the store, with its key parsed again.
    func stored(userHandle: [UInt8] = [1]) throws -> StoredCredential {
        StoredCredential(
            id: id, publicKey: try CredentialPublicKey(parsing: publicKey.bytes),
            signatureCount: signatureCount, isBackupEligible: isBackupEligible,
            userHandle: try #require(UserHandle(userHandle)))
    }
}
