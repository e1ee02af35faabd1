internal import Bytes
package import CBOR
internal import CBORTestSupport
internal import Cryptography
package import JSON
package import WebAuthn

/// An authenticator and its client in one, without a user. The drafts that it makes are right, and
/// tests change them before they are signed.
package struct SoftwareAuthenticator: Sendable {
    package var relyingPartyID = "example.org"
    package var origin = "https://example.org"
    package var key: SoftwareKey
    package var credentialID: [UInt8]
    package var aaguid: [UInt8]
    package var flags: AuthenticatorFlags = [.userPresent, .userVerified]
    package var signatureCount: UInt32 = 0
    package var userHandle: [UInt8]?

    package init(key: SoftwareKey, seed: UInt64 = 1) {
        self.key = key
        let random = RandomSource.seeded(seed)
        credentialID = random.bytes(32)
        aaguid = random.bytes(16)
    }

    package init(seed: UInt64 = 1) throws {
        self.init(key: try .es256(seed: seed), seed: seed)
    }

    private func clientData(_ type: String, _ challenge: Challenge) -> JSONObject {
        [
            "type": .string(type), "challenge": .string(challenge.text),
            "origin": .string(origin), "crossOrigin": false,
        ]
    }

    private var authenticatorData: AuthenticatorDataDraft {
        AuthenticatorDataDraft(
            relyingPartyIDHash: Self.hash(relyingPartyID), flags: flags,
            signatureCount: signatureCount)
    }

    package func registration(_ challenge: Challenge) -> RegistrationDraft {
        var data = authenticatorData
        data.flags.insert(.attestedCredential)
        data.credential = AttestedCredentialDraft(
            aaguid: aaguid, id: credentialID, publicKey: key.coseKey)
        return RegistrationDraft(
            clientData: clientData("webauthn.create", challenge), data: data, id: credentialID)
    }

    package func assertion(_ challenge: Challenge) -> AssertionDraft {
        AssertionDraft(
            clientData: clientData("webauthn.get", challenge), data: authenticatorData,
            id: credentialID, userHandle: userHandle)
    }

    /// The whole ceremony, as operations see it.
    package func register(_ challenge: Challenge) throws -> JSON {
        try registration(challenge).response.json
    }

    package func sign(_ challenge: Challenge) throws -> JSON {
        try assertion(challenge).response(signedWith: key).json
    }
}

/// A registration before it is sent.
package struct RegistrationDraft: Sendable {
    package var clientData: JSONObject
    /// Replaces `clientData`.
    package var clientDataBytes: [UInt8]?
    package var data: AuthenticatorDataDraft
    package var format: CBOR = "none"
    package var statement: CBOR = [:]
    /// Replaces format, statement and data.
    package var attestationObject: [UInt8]?
    package var id: [UInt8]
    package var transports: [String] = []

    package var clientDataJSON: [UInt8] { clientDataBytes ?? clientData.serialized }

    /// The signed data of an attestation statement.
    package var signedBytes: [UInt8] { data.bytes + SHA256.hash(clientDataJSON) }

    package mutating func attestItself(with key: SoftwareKey) throws {
        format = "packed"
        statement = [
            "alg": .integer(key.algorithm.rawValue), "sig": .bytes(try key.sign(signedBytes)),
        ]
    }

    package var response: RegistrationResponse {
        get throws {
            guard let id = CredentialID(id) else { throw CryptoFailure.malformed }
            let object: CBOR = [
                "fmt": format, "attStmt": statement, "authData": .bytes(data.bytes),
            ]
            return RegistrationResponse(
                id: id, clientDataJSON: clientDataJSON,
                attestationObject: attestationObject ?? object.encoded, transports: transports)
        }
    }
}

/// An assertion before it is signed and sent.
package struct AssertionDraft: Sendable {
    package var clientData: JSONObject
    /// Replaces `clientData`.
    package var clientDataBytes: [UInt8]?
    package var data: AuthenticatorDataDraft
    package var id: [UInt8]
    package var userHandle: [UInt8]?

    package var clientDataJSON: [UInt8] { clientDataBytes ?? clientData.serialized }

    package func response(signedWith key: SoftwareKey) throws -> AssertionResponse {
        response(signature: try key.sign(data.bytes + SHA256.hash(clientDataJSON)))
    }

    package func response(signature: [UInt8]) -> AssertionResponse {
        guard let id = CredentialID(id) else { preconditionFailure("not a credential ID") }
        return AssertionResponse(
            id: id, clientDataJSON: clientDataJSON, authenticatorData: data.bytes,
            signature: signature, userHandle: userHandle.flatMap { UserHandle($0) })
    }
}

extension SoftwareAuthenticator {
    /// The hash that an authenticator writes for an RP ID.
    package static func hash(_ relyingPartyID: String) -> [UInt8] {
        SHA256.hash(utf8: relyingPartyID)
    }
}
