package import Cryptography

/// The code that a device shows and a person types (RFC 8628 section 6.1): letters that are hard to
/// confuse and form no words.
package struct UserCode: Hashable, Sendable {
    /// The letters, without the dash.
    package let letters: String

    package static let count = 8
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let groupCount = 4

    package init(random: RandomSource) {
        // The largest multiple of 20 up to 256. Only smaller bytes are used, so that each letter is
        // equally likely.
        let limit = UInt8(256 / Self.alphabet.count * Self.alphabet.count)
        var letters: [UInt8] = []
        while letters.count < Self.count {
            letters += random.bytes(Self.count).filter { $0 < limit }
                .map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        self.letters = String(decoding: letters.prefix(Self.count), as: UTF8.self)
    }

    /// Accepts upper and lower case, with or without dashes and spaces.
    package init?(parsing text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let letters = text.unicodeScalars.filter { !Self.separators.contains($0) }
            .map { $0.isASCII ? UInt8($0.value) & 0xDF : 0 }
        guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        self.letters = String(decoding: letters, as: UTF8.self)
    }

    private static let bytesMax = 64
    /// The separators include the dashes that keyboards and word processors produce.
    private static let separators: [Unicode.Scalar] = [
        "-", " ", "\t", "\u{A0}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}",
    ]

    /// The code as it is shown: `BCDF-GHJK`.
    package var text: String {
        "\(letters.prefix(Self.groupCount))-\(letters.dropFirst(Self.groupCount))"
    }
}
