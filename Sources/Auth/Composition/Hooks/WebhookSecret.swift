internal import Bytes
internal import Cryptography
internal import HTTP

/// The key with which requests to hooks are signed, and its signature: the headers of "Standard
/// Webhooks", version 1.
struct WebhookSecret: Sendable {
    private let key: SecretBytes

    private static let prefix = Array("whsec_".utf8)
    private static let keyBytes = 24...64

    /// nil unless it is `whsec_` and a key in base64.
    init?(_ text: SecretBytes) {
        let bytes = text.reveal()
        guard bytes.starts(with: Self.prefix),
            let key = Base64.decode(
                String(decoding: bytes.dropFirst(Self.prefix.count), as: UTF8.self)),
            Self.keyBytes.contains(key.count)
        else { return nil }
        self.key = SecretBytes(key)
    }

    /// - Parameters:
    ///   - id: of the event; without dots.
    ///   - seconds: when it is sent, so that the receiver can refuse an old request.
    func headers(signing body: [UInt8], id: String, seconds: Int64) -> [HTTPHeader] {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let signature = Base64.encode(HMAC.sha256(signed, key: key))
        return [
            HTTPHeader("webhook-id", id), HTTPHeader("webhook-timestamp", "\(seconds)"),
            HTTPHeader("webhook-signature", "v1,\(signature)"),
        ]
    }
}
