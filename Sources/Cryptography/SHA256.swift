internal import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: byteCount)
        OpenSSL.require(
            EVP_Digest(bytes, bytes.count, &digest, nil, OpenSSL.algorithms.sha256, nil))
        return digest
    }

    package static func hash(utf8 text: String) -> [UInt8] { hash(Array(text.utf8)) }
}

/// SHA-256 of a message that arrives in pieces.
package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        OpenSSL.require(EVP_DigestInit_ex(context, OpenSSL.algorithms.sha256, nil))
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: [UInt8]) {
        OpenSSL.require(EVP_DigestUpdate(context, bytes, bytes.count))
    }

    package mutating func update(utf8 text: String) { update(Array(text.utf8)) }

    package consuming func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        OpenSSL.require(EVP_DigestFinal_ex(context, &digest, nil))
        return digest
    }
}
