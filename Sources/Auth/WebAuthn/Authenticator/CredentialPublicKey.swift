internal import Bytes
package import CBOR
internal import Cryptography

/// Why a credential's public key was refused.
package enum PublicKeyFailure: Error, Equatable, Sendable {
    case cbor(CBORFailure)
    /// A member is missing, superfluous, or of the wrong type or length.
    case malformed
    case unsupportedAlgorithm
    /// The key type or the curve does not belong to the algorithm.
    case wrongCurve
    /// `Cryptography` refused the key: it is not on the curve, too small, or known to be weak.
    case unusable
}

/// The public key of a credential: a COSE_Key (RFC 9052 section 7) with its one algorithm.
package struct CredentialPublicKey: Sendable {
    /// RSA with 8192 bits needs 1043 bytes.
    package static let bytesMax = 1100
    static let limits = CBORLimits(bytesMax: bytesMax, depthMax: 1, itemsMax: 16)

    package let algorithm: COSEAlgorithm
    /// The key as the authenticator encoded it. These bytes are stored. They are canonical CBOR, so
    /// that no other bytes mean the same key.
    package let bytes: [UInt8]
    private let material: Material

    private enum Material: Sendable {
        case ed25519(Ed25519PublicKey)
        case p256(P256PublicKey)
        case larger(NISTCurvePublicKey)
        case rsa(RSAPublicKey)
    }

    /// Decodes a key from the store, or from bytes that contain only the key.
    package init(parsing bytes: [UInt8]) throws(PublicKeyFailure) {
        let item: CBOR
        do throws(CBORFailure) {
            item = try CBOR.parse(bytes, limits: Self.limits)
        } catch {
            throw .cbor(error)
        }
        try self.init(item, bytes: bytes)
    }

    /// WebAuthn section 6.5.1: `alg` is present, and no other optional member is.
    init(_ item: CBOR, bytes: [UInt8]) throws(PublicKeyFailure) {
        guard let map = item.mapValue, let name = map[Label.algorithm]?.int64Value else {
            throw .malformed
        }
        guard let algorithm = COSEAlgorithm(rawValue: name) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        self.bytes = bytes
        switch algorithm {
        case .edDSA:
            let x = try Self.octetKey(map)
            material = .ed25519(
                try orUnusable { () throws(CryptoFailure) in try Ed25519PublicKey(bytes: x) })
        case .es256:
            let width = P256PublicKey.coordinateByteCount
            let (x, y) = try Self.point(map, curve: 1, width: width)
            material = .p256(
                try orUnusable { () throws(CryptoFailure) in try P256PublicKey(x: x, y: y) })
        case .es384: material = .larger(try Self.larger(.p384, map, curve: 2))
        case .es512: material = .larger(try Self.larger(.p521, map, curve: 3))
        case .rs256:
            let (n, e) = try Self.rsa(map)
            material = .rsa(
                try orUnusable { () throws(CryptoFailure) in
                    try RSAPublicKey(modulus: n, exponent: e)
                })
        }
    }

    /// Whether the signature is valid. ECDSA signatures are in DER form (WebAuthn section 6.5.5).
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch material {
        case .ed25519(let key): key.isValid(signature, for: message)
        case .p256(let key): key.isValid(der: signature, for: message)
        case .larger(let key): key.isValid(der: signature, for: message)
        case .rsa(let key): key.isValid(signature, for: message, padding: .pkcs1)
        }
    }
}

extension CredentialPublicKey: Equatable {
    package static func == (left: CredentialPublicKey, right: CredentialPublicKey) -> Bool {
        left.bytes == right.bytes
    }
}

/// The labels of a COSE_Key (RFC 9052 section 7.1, RFC 9053 section 7, RFC 8230 section 4).
private enum Label {
    static let keyType: Int64 = 1
    static let algorithm: Int64 = 3
    static let curve: Int64 = -1
    static let x: Int64 = -2
    static let y: Int64 = -3
    static let modulus: Int64 = -1
    static let exponent: Int64 = -2
}

extension CredentialPublicKey {
    /// An octet key pair on Ed25519.
    private static func octetKey(_ map: CBORMap) throws(PublicKeyFailure) -> [UInt8] {
        try check(map, keyType: 1, curve: 6)
        guard map.count == 4, let x = map[Label.x]?.bytesValue,
            x.count == Ed25519PublicKey.byteCount
        else { throw .malformed }
        return x
    }

    /// The coordinates of a point. Only the uncompressed form is accepted; in the compressed form,
    /// `y` is a boolean.
    private static func point(
        _ map: CBORMap, curve: Int64, width: Int
    ) throws(PublicKeyFailure) -> (x: [UInt8], y: [UInt8]) {
        try check(map, keyType: 2, curve: curve)
        guard map.count == 5, let x = map[Label.x]?.bytesValue, let y = map[Label.y]?.bytesValue,
            x.count == width, y.count == width
        else { throw .malformed }
        return (x, y)
    }

    private static func larger(
        _ curve: NISTCurve, _ map: CBORMap, curve number: Int64
    ) throws(PublicKeyFailure) -> NISTCurvePublicKey {
        let (x, y) = try point(map, curve: number, width: curve.coordinateByteCount)
        return try orUnusable { () throws(CryptoFailure) in
            try NISTCurvePublicKey(curve: curve, x: x, y: y)
        }
    }

    private static func rsa(
        _ map: CBORMap
    ) throws(PublicKeyFailure) -> (modulus: [UInt8], exponent: [UInt8]) {
        guard let type = map[Label.keyType]?.int64Value else { throw .malformed }
        guard type == 3 else { throw .wrongCurve }
        guard map.count == 4, let n = map[Label.modulus]?.bytesValue,
            let e = map[Label.exponent]?.bytesValue
        else { throw .malformed }
        return (n, e)
    }

    private static func check(
        _ map: CBORMap, keyType: Int64, curve: Int64
    ) throws(PublicKeyFailure) {
        guard let type = map[Label.keyType]?.int64Value,
            let present = map[Label.curve]?.int64Value
        else { throw .malformed }
        guard type == keyType, present == curve else { throw .wrongCurve }
    }
}

/// Maps every failure of `Cryptography` to construct a key to `.unusable`.
private func orUnusable<Key>(
    _ make: () throws(CryptoFailure) -> Key
) throws(PublicKeyFailure) -> Key {
    do throws(CryptoFailure) {
        return try make()
    } catch {
        throw .unusable
    }
}
