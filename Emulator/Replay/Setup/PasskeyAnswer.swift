internal import Bytes
internal import Cryptography
internal import JSON

/// A part of an authenticator's response (WebAuthn section 5.1, `toJSON()`) with a passkey that is
/// derived from its name: Ed25519, without attestation, and a counter that is always 0.
struct PasskeyAnswer {
    enum Part: String, CaseIterable {
        case id, clientDataJSON, attestationObject, authenticatorData, signature
    }

    let name: String
    let part: Part
    /// `webauthn.create` or `webauthn.get`, in client data.
    let type: String
    /// The challenge, which may contain placeholders.
    let challenge: String
    let origin: String
    let isUserVerified: Bool

    /// `{"passkey": "phone", "part": "signature", "challenge": "<challenge>", "origin":
    /// "https://…"}`
    init(_ json: JSON, _ here: String) throws(FixtureFailure) {
        let reader = try MemberReader(
            json, at: here,
            only: ["passkey", "part", "type", "challenge", "origin", "userVerified"])
        name = try MemberReader.text(reader["passkey"], "\(here).passkey")
        let text = try MemberReader.text(reader["part"], "\(here).part")
        guard let part = Part.allCases.first(where: { $0.rawValue.isSame(as: text) }) else {
            throw FixtureFailure("\(here).part must be one of the members of a credential")
        }
        self.part = part
        type = reader["type"]?.stringValue ?? "webauthn.get"
        challenge = reader["challenge"]?.stringValue ?? ""
        origin = try MemberReader.text(reader["origin"], "\(here).origin")
        isUserVerified = reader["userVerified"]?.boolValue ?? true
    }

    /// - Parameter challenge: in base64url, as in the options.
    func text(challenge: String) throws(FixtureFailure) -> String {
        do throws(CryptoFailure) {
            return Base64URL.encode(try bytes(challenge))
        } catch {
            throw FixtureFailure("the passkey \(name): \(error)")
        }
    }

    private func bytes(_ challenge: String) throws(CryptoFailure) -> [UInt8] {
        switch part {
        case .id: return id
        case .clientDataJSON: return clientData(challenge)
        case .authenticatorData: return authenticatorData
        case .signature:
            return try key.sign(authenticatorData + SHA256.hash(clientData(challenge)))
        case .attestationObject:
            let data = relyingParty + [flags | 0x40, 0, 0, 0, 0] + attestedCredential(try key)
            // {"fmt": "none", "attStmt": {}, "authData": data}, in CBOR (RFC 8949).
            return [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8)
                + [0x67] + Array("attStmt".utf8) + [0xA0, 0x68] + Array("authData".utf8)
                + [0x58, UInt8(data.count)] + data
        }
    }

    private var id: [UInt8] { SHA256.hash(utf8: "credential \(name)") }

    private var key: Ed25519PrivateKey {
        get throws(CryptoFailure) {
            try Ed25519PrivateKey(seed: SecretBytes(SHA256.hash(utf8: "key \(name)")))
        }
    }

    private func clientData(_ challenge: String) -> [UInt8] {
        let object: JSONObject = [
            "type": .string(type), "challenge": .string(challenge), "origin": .string(origin),
            "crossOrigin": false,
        ]
        return object.serialized
    }

    /// The hash of the RP ID, which is the host of the origin.
    private var relyingParty: [UInt8] {
        let host = origin.split(separator: "/").last.map { $0.prefix { $0 != ":" } } ?? ""
        return SHA256.hash(utf8: String(host))
    }

    /// UP and UV.
    private var flags: UInt8 { isUserVerified ? 5 : 1 }

    private var authenticatorData: [UInt8] { relyingParty + [flags, 0, 0, 0, 0] }

    private func attestedCredential(_ key: Ed25519PrivateKey) -> [UInt8] {
        // {1: 1, 3: -8, -1: 6, -2: x}, a COSE_Key (RFC 9053 section 7.2).
        [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id
            + [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20] + key.publicKey.bytes
    }
}
