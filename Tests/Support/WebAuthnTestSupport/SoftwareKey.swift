package import CBOR
internal import CBORTestSupport
package import Cryptography
package import WebAuthn

/// The key of a credential.
package enum SoftwareKey: Sendable {
    case es256(P256PrivateKey)
    case edDSA(Ed25519PrivateKey)
    case rs256(RSAPrivateKey)

    package static func es256(seed: UInt64) throws -> SoftwareKey {
        .es256(try .generate(random: .seeded(seed)))
    }

    package static func edDSA(seed: UInt64) throws -> SoftwareKey {
        .edDSA(try .generate(random: .seeded(seed)))
    }

    package var algorithm: COSEAlgorithm {
        switch self {
        case .es256: .es256
        case .edDSA: .edDSA
        case .rs256: .rs256
        }
    }

    /// The members of the COSE_Key, to be changed and encoded.
    package var members: [Int64: CBOR] {
        switch self {
        case .es256(let key):
            [1: 2, 3: -7, -1: 1, -2: .bytes(key.publicKey.x), -3: .bytes(key.publicKey.y)]
        case .edDSA(let key): [1: 1, 3: -8, -1: 6, -2: .bytes(key.publicKey.bytes)]
        case .rs256(let key):
            [1: 3, 3: -257, -1: .bytes(key.publicKey.modulus), -2: .bytes(key.publicKey.exponent)]
        }
    }

    package var coseKey: [UInt8] { CBOR.coseKey(members) }

    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch self {
        case .es256(let key): derSignature(try key.sign(message))
        case .edDSA(let key): try key.sign(message)
        case .rs256(let key): try key.sign(message, padding: .pkcs1)
        }
    }
}

extension CBOR {
    package static func coseKey(_ members: [Int64: CBOR]) -> [UInt8] {
        CBOR.map(
            CBORMap(unique: members.map { .init(key: .integer($0.key), value: $0.value) })
        ).encoded
    }
}

/// The DER form of `r || s`.
package func derSignature(_ raw: [UInt8]) -> [UInt8] {
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
    let content = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(content.count)] + content
}
