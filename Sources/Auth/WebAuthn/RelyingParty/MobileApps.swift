internal import Bytes

/// The SHA-256 of a certificate.
package struct CertificateFingerprint: Sendable, Hashable {
    package let bytes: [UInt8]

    /// Parses the form that `keytool` prints: 32 pairs of hexadecimal digits with colons.
    package init?(parsing text: String) {
        let text = Array(text.utf8)
        guard text.count == 32 * 3 - 1 else { return nil }
        var digits: [UInt8] = []
        for (index, byte) in text.enumerated() {
            guard index % 3 == 2 else {
                digits.append(byte)
                continue
            }
            guard byte == UInt8(ascii: ":") else { return nil }
        }
        guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)) else { return nil }
        self.bytes = bytes
    }

    /// The fingerprint in upper case, with colons.
    package var text: String {
        bytes.map { Hex.encode([$0]).asciiUppercased }.joined(separator: ":")
    }
}

/// An Android app that shares the passkeys of the site.
package struct AndroidApp: Sendable, Equatable {
    package let packageName: String
    /// Fingerprints of its signing certificates: usually of the certificates of the app store and
    /// of a developer.
    package let fingerprints: [CertificateFingerprint]

    /// nil if the name is not an application ID (on Android: at least two segments of letters,
    /// digits and underscores), or if there is no fingerprint.
    package init?(packageName: String, fingerprints: [CertificateFingerprint]) {
        let segments = packageName.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard packageName.utf8.count <= 255, segments.count >= 2, !fingerprints.isEmpty,
            segments.allSatisfy({ segment in
                segment.first?.isLetter == true
                    && segment.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
            })
        else { return nil }
        self.packageName = packageName
        self.fingerprints = fingerprints
    }

    /// The origins to accept in `clientDataJSON`.
    package var origins: [Origin] { fingerprints.map(Origin.init(androidCertificate:)) }
}

/// An app on Apple's platforms that shares the passkeys of the site.
package struct AppleApp: Sendable, Equatable {
    /// Team ID or application identifier prefix, a dot, and the bundle ID.
    package let identifier: String

    package init?(parsing text: String) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, parts.count == 2, parts[0].count == 10,
            parts[0].allSatisfy({ $0.isUppercase || $0.isDigit }), !parts[1].isEmpty,
            parts[1].allSatisfy({ $0.isLetterOrDigit || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        identifier = text
    }
}
