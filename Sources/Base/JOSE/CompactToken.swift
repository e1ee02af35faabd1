internal import Bytes
internal import JSON

/// A token in compact form (RFC 7515 section 7.1), taken apart but not believed.
struct CompactToken {
    /// What the signature covers: everything before the last dot, as it was received.
    let signingInput: [UInt8]
    let header: JSONObject
    /// The header's `alg`, which is only ever compared.
    let algorithmName: String
    let kid: String?
    private let payloadText: ArraySlice<UInt8>
    private let signatureText: ArraySlice<UInt8>

    /// More than any provider sends, and less than an attack on a parser needs.
    static let bytesMax = 16 << 10
    private static let headerLimits = JSONLimits(bytesMax: 8 << 10, depthMax: 8, membersMax: 64)

    init(parsing token: String) throws(TokenFailure) {
        guard token.utf8.count <= Self.bytesMax else { throw .tooLarge }
        let bytes = Array(token.utf8)
        // Count before cutting (CVE-2025-30204): a token of nothing but dots costs one scan. Five
        // parts are a JWE, and there is no such thing here.
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

    /// The members that matter before a key is chosen. `jwk`, `jku`, `x5u` and `x5c` are not among
    /// them: a token does not choose its own key (RFC 8725 section 3.10).
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

    /// For after the signature was verified.
    func payload() throws(TokenFailure) -> [UInt8] {
        guard let payload = Base64URL.decode(utf8: payloadText) else { throw .malformed }
        return payload
    }
}
