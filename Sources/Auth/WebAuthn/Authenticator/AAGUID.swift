internal import Bytes

/// Identifies the model of an authenticator or the software that keeps passkeys. It is not signed
/// unless attestation is verified, so it serves only for a name in a list.
package struct AAGUID: Sendable, Hashable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Parses the form with hyphens, in either case.
    package init?(text: String) {
        let text = Array(text.utf8)
        let hyphens: Set = [8, 13, 18, 23]
        guard text.count == 36, hyphens.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        let digits = text.indices.filter { !hyphens.contains($0) }.map { text[$0] }
        guard let bytes = Hex.decode(String(decoding: digits, as: UTF8.self)) else { return nil }
        self.init(bytes: bytes)
    }

    /// The AAGUID in lower case, with hyphens.
    package var text: String {
        var text: [UInt8] = []
        for (index, digit) in Hex.encode(bytes).utf8.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// All zero: the authenticator does not state its model.
    package var isUnknown: Bool { bytes.allSatisfy { $0 == 0 } }
}
