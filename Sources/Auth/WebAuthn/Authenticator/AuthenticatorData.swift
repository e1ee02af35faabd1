package import CBOR

/// Why authenticator data was refused.
package enum AuthenticatorDataFailure: Error, Equatable, Sendable {
    case tooLarge
    /// The data ends before the parts that its flags announce.
    case truncated
    /// A credential ID that is empty or longer than 1023 bytes.
    case invalidCredentialID
    case publicKey(PublicKeyFailure)
    case extensions(CBORFailure)
    /// The extensions are not a map with text keys.
    case malformedExtensions
    case trailingBytes
    /// BS without BE (WebAuthn section 6.1.3).
    case backedUpButNotEligible
}

/// Authenticator data (WebAuthn section 6.1), parsed but not verified.
package struct AuthenticatorData: Sendable {
    package static let bytesMax = 8 << 10
    private static let headerBytes = 37
    private static let extensionLimits = CBORLimits(
        bytesMax: bytesMax, depthMax: 8, itemsMax: 256)

    /// The bytes as they were received. They are signed.
    package let bytes: [UInt8]
    package let relyingPartyIDHash: [UInt8]
    package let flags: AuthenticatorFlags
    package let signatureCount: UInt32
    package let attestedCredential: AttestedCredential?
    /// Authenticator extension outputs. No extensions are requested, so the outputs are not used.
    package let extensions: CBORMap?

    package init(parsing bytes: [UInt8]) throws(AuthenticatorDataFailure) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        guard bytes.count >= Self.headerBytes else { throw .truncated }
        self.bytes = bytes
        relyingPartyIDHash = Array(bytes[..<32])
        flags = AuthenticatorFlags(rawValue: bytes[32])
        signatureCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else {
            throw .backedUpButNotEligible
        }
        var position = Self.headerBytes
        if flags.contains(.attestedCredential) {
            attestedCredential = try AttestedCredential(in: bytes, at: &position)
        } else {
            attestedCredential = nil
        }
        if flags.contains(.extensions) {
            extensions = try Self.extensions(in: bytes, at: &position)
        } else {
            extensions = nil
        }
        guard position == bytes.count else { throw .trailingBytes }
    }

    private static func extensions(
        in bytes: [UInt8], at position: inout Int
    ) throws(AuthenticatorDataFailure) -> CBORMap {
        guard position < bytes.count else { throw .truncated }
        let item: CBOR
        do throws(CBORFailure) {
            (item, position) = try CBOR.parsePrefix(
                of: bytes, from: position, limits: extensionLimits)
        } catch {
            throw .extensions(error)
        }
        guard let map = item.mapValue,
            map.entries.allSatisfy({ $0.key.textValue != nil })
        else { throw .malformedExtensions }
        return map
    }
}

/// Attested credential data (WebAuthn section 6.5.1): the new credential.
package struct AttestedCredential: Sendable {
    package let aaguid: AAGUID
    package let id: CredentialID
    package let publicKey: CredentialPublicKey

    init(in bytes: [UInt8], at position: inout Int) throws(AuthenticatorDataFailure) {
        guard bytes.count - position >= AAGUID.byteCount + 2,
            let aaguid = AAGUID(bytes: Array(bytes[position..<position + AAGUID.byteCount]))
        else { throw .truncated }
        self.aaguid = aaguid
        position += AAGUID.byteCount
        let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        position += 2
        guard CredentialID.byteCounts.contains(length) else { throw .invalidCredentialID }
        guard bytes.count - position >= length else { throw .truncated }
        guard let id = CredentialID(Array(bytes[position..<position + length])) else {
            throw .invalidCredentialID
        }
        self.id = id
        position += length
        guard position < bytes.count else { throw .truncated }
        let start = position
        // Extensions may follow the key, so its limit of bytes is checked afterwards.
        var limits = CredentialPublicKey.limits
        limits.bytesMax = AuthenticatorData.bytesMax
        let item: CBOR
        do throws(CBORFailure) {
            (item, position) = try CBOR.parsePrefix(of: bytes, from: start, limits: limits)
        } catch {
            throw .publicKey(.cbor(error))
        }
        guard position - start <= CredentialPublicKey.bytesMax else {
            throw .publicKey(.cbor(.tooLarge))
        }
        do throws(PublicKeyFailure) {
            publicKey = try CredentialPublicKey(item, bytes: Array(bytes[start..<position]))
        } catch {
            throw .publicKey(error)
        }
    }
}
