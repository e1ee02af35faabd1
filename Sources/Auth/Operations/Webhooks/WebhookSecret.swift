package import Bytes
internal import Cryptography

/// A key with which events, and requests to hooks, are signed (Standard Webhooks 1.0).
package struct WebhookSecret: Sendable {
    private let key: SecretBytes

    private static let prefix = "whsec_"
    private static let keyBytes = 24...64

    /// The required form, for error messages.
    package static let form =
        "\(prefix) and \(keyBytes.lowerBound) to \(keyBytes.upperBound) bytes in base64"

    /// nil unless the text has that form.
    package init?(_ text: SecretBytes) {
        let bytes = text.reveal()
        guard bytes.starts(with: Self.prefix.utf8),
            let key = Base64.decode(
                String(decoding: bytes.dropFirst(Self.prefix.utf8.count), as: UTF8.self)),
            Self.keyBytes.contains(key.count)
        else { return nil }
        self.key = SecretBytes(key)
    }

    /// - Parameters:
    ///   - id: the ID of the event, which contains no dots.
    ///   - seconds: the time of sending, so that the receiver can refuse an old request.
    package func signature(of body: [UInt8], id: String, seconds: Int64) -> String {
        let signed = Array("\(id).\(seconds).".utf8) + body
        return "v1,\(Base64.encode(HMAC.sha256(signed, key: key)))"
    }
}
