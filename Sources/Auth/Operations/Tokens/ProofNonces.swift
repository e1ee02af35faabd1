internal import AuthDomain
internal import Bytes
internal import Cryptography
internal import Time

/// The nonces of DPoP proofs (RFC 9449 section 8): each contains the time when it was made and a
/// MAC, so that none is stored. A client with a wrong clock gets a nonce, and the age of its proof
/// is then the age of the nonce.
package struct ProofNonces: Sendable {
    /// The keys. New nonces are made with the first one.
    private let keys: [SecretBytes]

    private static let bytesMax = 64

    init(_ master: MasterKey) {
        keys = ([master] + master.previous).map(\.proofNonces)
    }

    func nonce(at now: Instant) -> String { Self.nonce(now, keys[0]) }

    /// When a nonce was made; nil if it was not made here.
    func time(of nonce: String) -> Instant? {
        guard nonce.utf8.count <= Self.bytesMax,
            let end = nonce.utf8.firstIndex(of: UInt8(ascii: ".")),
            let milliseconds = Int64(nonce[..<end])
        else { return nil }
        let made = Instant(milliseconds: milliseconds)
        let isOurs = keys.contains {
            constantTimeEquals(Array(nonce.utf8), Array(Self.nonce(made, $0).utf8))
        }
        return isOurs ? made : nil
    }

    private static func nonce(_ made: Instant, _ key: SecretBytes) -> String {
        let time = "\(made.milliseconds)"
        return "\(time).\(Base64URL.encode(HMAC.sha256(Array(time.utf8), key: key).prefix(16)))"
    }
}
