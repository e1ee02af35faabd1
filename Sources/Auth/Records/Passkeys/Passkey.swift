package import AuthDomain
package import Bytes
internal import Cryptography
internal import JSON
package import Time
package import WebAuthn

/// A passkey of an account.
package struct Passkey: Equatable, Sendable {
    package let credential: PasskeyCredential
    /// The name that the user has chosen.
    package var name: String?
    package var signatureCount: UInt32
    package var isBackedUp: Bool
    /// The transports from its registration, for the options of later ceremonies.
    package let transports: [String]
    package let createdAt: Instant
    package var lastUsedAt: Instant

    package init(
        _ credential: PasskeyCredential, name: String?, signatureCount: UInt32, isBackedUp: Bool,
        transports: [String], createdAt: Instant, lastUsedAt: Instant
    ) {
        self.credential = credential
        self.name = name
        self.signatureCount = signatureCount
        self.isBackedUp = isBackedUp
        self.transports = transports
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    package var descriptor: CredentialDescriptor {
        CredentialDescriptor(id: credential.id, transports: transports)
    }

    /// The stored credential that an assertion is verified against.
    package var stored: StoredCredential {
        StoredCredential(
            id: credential.id, publicKey: credential.publicKey, signatureCount: signatureCount,
            isBackupEligible: credential.isBackupEligible, userHandle: credential.userHandle)
    }
}

/// The parts of a passkey that never change. They are sealed in its row, bound to the account.
package struct PasskeyCredential: Equatable, Sendable {
    package let id: CredentialID
    package let publicKey: CredentialPublicKey
    package let isBackupEligible: Bool
    package let aaguid: AAGUID
    package let userHandle: UserHandle

    package init(_ registered: RegisteredCredential, of handle: UserHandle) {
        id = registered.id
        publicKey = registered.publicKey
        isBackupEligible = registered.isBackupEligible
        aaguid = registered.aaguid
        userHandle = handle
    }

    private static let limits = JSONLimits(bytesMax: 8 << 10, depthMax: 2, membersMax: 8)

    /// The passkey's bytes before encryption.
    package var encoded: SecretBytes {
        let object: JSONObject = [
            "id": .string(id.text), "key": .string(Base64URL.encode(publicKey.bytes)),
            "backupEligible": .bool(isBackupEligible), "aaguid": .string(aaguid.text),
            "userHandle": .string(userHandle.text),
        ]
        return SecretBytes(JSON.object(object).serialized)
    }

    /// nil if the bytes are not an encoded passkey.
    package init?(decoding secret: SecretBytes) {
        guard let json = try? JSON.parse(secret.reveal(), limits: Self.limits),
            let id = Self.bytes(json, "id").flatMap(CredentialID.init),
            let key = Self.bytes(json, "key"),
            let publicKey = try? CredentialPublicKey(parsing: key),
            let isBackupEligible = json["backupEligible"]?.boolValue,
            let aaguid = json["aaguid"]?.stringValue.flatMap(AAGUID.init(text:)),
            let userHandle = Self.bytes(json, "userHandle").flatMap(UserHandle.init)
        else { return nil }
        self.id = id
        self.publicKey = publicKey
        self.isBackupEligible = isBackupEligible
        self.aaguid = aaguid
        self.userHandle = userHandle
    }

    private static func bytes(_ json: JSON, _ name: String) -> [UInt8]? {
        json[name]?.stringValue.flatMap { Base64URL.decode($0) }
    }
}

extension LinkedIdentity {
    /// A passkey as one of the account's sign-in methods. The row of the identity makes sure that a
    /// credential ID belongs to one account only (WebAuthn section 7.1, note on duplicate IDs).
    package static func passkey(
        _ id: CredentialID, at relyingParty: RelyingPartyID
    ) -> LinkedIdentity {
        LinkedIdentity(
            provider: passkeyProvider, issuer: "webauthn:\(relyingParty.text)",
            subject: Base64URL.encode(SHA256.hash(id.bytes)))
    }
}
