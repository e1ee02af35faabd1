internal import Bytes

/// RFC 2045 section 6.7, for text.
enum QuotedPrintable {
    /// The limit includes the `=` of a soft line break.
    static let lineBytesMax = 76

    /// - Parameter text: the text, with `\n` as line break.
    static func encode(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 5 / 4)
        for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) {
            var column = 0
            for index in line.indices {
                let byte = line[index]
                let isLast = line.index(after: index) == line.endIndex
                let isLiteral =
                    (0x21...0x7E).contains(byte) && byte != equalsSign
                    // White space at the end of a line may be lost in transport.
                    || byte.isBlank && !isLast
                let width = isLiteral ? 1 : 3
                // Room for a soft break, except after the last byte of a line.
                if column + width > lineBytesMax - (isLast ? 0 : 1) {
                    output += [equalsSign, 0x0D, 0x0A]
                    column = 0
                }
                if isLiteral {
                    output.append(byte)
                } else {
                    output += [equalsSign, digit(byte >> 4), digit(byte & 15)]
                }
                column += width
            }
            output += [0x0D, 0x0A]
        }
        // The last line has no line break.
        output.removeLast(2)
        return output
    }

    private static let newline = UInt8(ascii: "\n")
    private static let equalsSign = UInt8(ascii: "=")

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x41 + value - 10
    }
}
