/// A position in a text, counted as in editors: the first line and the first column are 1.
package struct TextPlace: Sendable, Equatable, CustomStringConvertible {
    package let line: Int
    /// The column, counted in characters.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of a byte.
    package init(offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        line = 1 + before.count { $0 == 0x0A }
        // Bytes that continue a character are 0b10xxxxxx.
        column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
    }

    package var description: String { "\(line):\(column)" }
}
