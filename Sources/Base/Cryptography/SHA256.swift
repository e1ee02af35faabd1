internal import Bytes
internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32
    static let blockByteCount = 64

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }

    package static func hash(utf8 text: String) -> [UInt8] { hash(Array(text.utf8)) }

    static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }
}

/// SHA-256 of a message that arrives in pieces.
package struct SHA256Hasher: ~Copyable {
    private var state = SHA256_CTX()

    package init() { OpenSSL.require(SHA256_Init(&state)) }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    package mutating func update(utf8 text: String) { update(Array(text.utf8)) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        OpenSSL.require(SHA256_Update(&state, bytes.baseAddress, bytes.count))
    }

    /// The digest. OpenSSL wipes the last block of the message. In HMAC, that block is derived from
    /// the key.
    package consuming func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        OpenSSL.require(SHA256_Final(&digest, &state))
        return digest
    }
}
