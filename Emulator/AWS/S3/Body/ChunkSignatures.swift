internal import AWSSignature
internal import Bytes
internal import Cryptography
internal import Time

/// The chain of chunk signatures: each covers the previous one, and the first covers the request's
/// signature.
struct ChunkSignatures {
    private static let emptyHash = Hex.encode(SHA256.hash([]))

    private let key: SecretBytes
    private let preamble: String
    private var previous: String

    init(_ signed: AuthenticatedCall) {
        let scope = signed.signature.scope
        key = scope.key(from: signed.secret)
        preamble = "\(signed.signature.signedAt.compactISO8601)\n\(scope.text)\n"
        previous = signed.signature.signature
    }

    mutating func accept(_ chunk: [UInt8], signature: String) -> Bool {
        accept(
            "AWS4-HMAC-SHA256-PAYLOAD\n\(preamble)\(previous)\n\(Self.emptyHash)\n"
                + Hex.encode(SHA256.hash(chunk)), signature)
    }

    /// `lines` has each trailer as `name:value` and a line feed.
    mutating func accept(trailers lines: String, signature: String) -> Bool {
        accept(
            "AWS4-HMAC-SHA256-TRAILER\n\(preamble)\(previous)\n"
                + Hex.encode(SHA256.hash(utf8: lines)), signature)
    }

    private mutating func accept(_ text: String, _ signature: String) -> Bool {
        let expected = Hex.encode(HMAC.sha256(Array(text.utf8), key: key))
        previous = signature
        return constantTimeEquals(Array(expected.utf8), Array(signature.utf8))
    }
}
