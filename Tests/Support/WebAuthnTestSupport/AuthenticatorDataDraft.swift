package import WebAuthn

/// Authenticator data of which every part can be made wrong.
package struct AuthenticatorDataDraft: Sendable {
    package var relyingPartyIDHash: [UInt8]
    package var flags: AuthenticatorFlags
    package var signatureCount: UInt32
    package var credential: AttestedCredentialDraft?
    /// Written whether or not ED is set, so that both can disagree.
    package var extensions: [UInt8] = []
    package var trailing: [UInt8] = []

    package var bytes: [UInt8] {
        relyingPartyIDHash + [flags.rawValue]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signatureCount >> $0) }
            + (credential?.bytes ?? []) + extensions + trailing
    }
}

/// Attested credential data of which every part can be made wrong.
package struct AttestedCredentialDraft: Sendable {
    package var aaguid: [UInt8]
    package var id: [UInt8]
    /// nil for the length of `id`.
    package var idLength: UInt16?
    /// A COSE_Key.
    package var publicKey: [UInt8]

    package init(aaguid: [UInt8], id: [UInt8], publicKey: [UInt8]) {
        self.aaguid = aaguid
        self.id = id
        self.publicKey = publicKey
    }

    package var bytes: [UInt8] {
        let length = idLength ?? UInt16(truncatingIfNeeded: id.count)
        return aaguid + [UInt8(length >> 8), UInt8(length & 0xFF)] + id + publicKey
    }
}
