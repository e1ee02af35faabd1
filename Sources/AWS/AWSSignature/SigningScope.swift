package import Bytes
internal import Cryptography

/// The credential scope: date, region and service.
package struct SigningScope: Sendable, Equatable {
    static let algorithm = "AWS4-HMAC-SHA256"

    /// `20150830`
    package let date: String
    package let region: String
    package let service: String

    package init(date: String, region: String, service: String) {
        self.date = date
        self.region = region
        self.service = service
    }

    package var text: String { "\(date)/\(region)/\(service)/aws4_request" }

    package func stringToSign(_ request: CanonicalRequest, at timestamp: String) -> String {
        var text = Self.algorithm
        text.reserveCapacity(160)
        for part in ["\n", timestamp, "\n", self.text, "\n", request.hash] { text += part }
        return text
    }

    /// The key for this scope only; it cannot sign for another day, region or service.
    package func key(from secret: SecretBytes) -> SecretBytes {
        let root = SecretBytes(Array("AWS4".utf8) + secret.reveal())
        return [date, region, service, "aws4_request"].reduce(root) { key, part in
            SecretBytes(HMAC.sha256(Array(part.utf8), key: key))
        }
    }

    package func signature(of stringToSign: String, secret: SecretBytes) -> String {
        signature(of: stringToSign, key: key(from: secret))
    }

    func signature(of stringToSign: String, key: SecretBytes) -> String {
        Hex.encode(HMAC.sha256(Array(stringToSign.utf8), key: key))
    }
}
