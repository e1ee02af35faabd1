internal import Bytes
internal import JSON

/// A token in compact serialization (RFC 7515 section 7.1), parsed but not verified.
package struct CompactToken: Sendable {
    /// The JWS signing input: everything before the last dot, as received.
    let signingInput: [UInt8]
    let header: JSONObject
    /// The header's `alg`. It is only compared, never used to choose an algorithm.
    let algorithmName: String
    /// The key ID is unverified: use it only to find the key.
    package let kid: String?
    private let payloadText: ArraySlice<UInt8>
    private let signatureText: ArraySlice<UInt8>

    /// The limit is more than any provider sends, and small enough to parse safely.
    package static let bytesMax = 16 << 10
    private static let headerLimits = JSONLimits(bytesMax: 8 << 10, depthMax: 8, membersMax: 64)

    /// Whether the header has this algorithm. Nothing is verified yet.
    package func isSigned(with algorithm: Algorithm) -> Bool {
        algorithm.rawValue.isSame(as: algorithmName)
    }

    /// - Parameter bytesMax: a larger limit is only for documents, such as a revocation list.
    package init(
        parsing token: String, bytesMax: Int = CompactToken.bytesMax
    ) throws(TokenFailure) {
        guard token.utf8.count <= bytesMax else { throw .tooLarge }
        let bytes = Array(token.utf8)
        // Count before splitting (CVE-2025-30204): a token of only dots costs one scan. Five parts
        // are a JWE, which is not supported.
        guard bytes.count(where: { $0 == Self.dot }) == 2,
            let first = bytes.firstIndex(of: Self.dot), let last = bytes.lastIndex(of: Self.dot)
        else { throw .malformed }
        guard let headerBytes = Base64URL.decode(utf8: bytes[..<first]),
            let header = (try? JSON.parse(headerBytes, limits: Self.headerLimits))?.objectValue
        else { throw .malformed }
        self.header = header
        (algorithmName, kid) = try Self.read(header)
        signingInput = Array(bytes[..<last])
        payloadText = bytes[(first + 1)..<last]
        signatureText = bytes[(last + 1)...]
    }

    private static let dot = UInt8(ascii: ".")

    private static func read(
        _ header: JSONObject
    ) throws(TokenFailure) -> (algorithmName: String, kid: String?) {
        for extensionName in ["crit", "b64", "zip"] {
            guard header[extensionName] == nil else { throw .criticalHeader }
        }
        guard header["enc"] == nil, let algorithm = header["alg"]?.stringValue else {
            throw .malformed
        }
        if let type = header["typ"] {
            guard type.stringValue != nil else { throw .malformed }
        }
        guard let member = header["kid"] else { return (algorithm, nil) }
        guard let kid = member.stringValue,
            (1...JWKMembers.keyIDBytesMax).contains(kid.utf8.count)
        else { throw .malformed }
        return (algorithm, kid)
    }

    func signature() throws(TokenFailure) -> [UInt8] {
        guard let signature = Base64URL.decode(utf8: signatureText) else { throw .malformed }
        return signature
    }

    /// Call this only after the signature was verified.
    func payload() throws(TokenFailure) -> [UInt8] {
        guard let payload = Base64URL.decode(utf8: payloadText) else { throw .malformed }
        return payload
    }
}
