/// Rows of cells in aligned columns, the first row a heading, for a terminal.
struct TextTable {
    private static let widthMax = 48
    /// The last column ends a line, and is not padded.
    private static let lastWidthMax = 200

    let text: String

    /// - Parameter right: the columns whose cells end under each other.
    init(_ rows: [[String]], right: Set<Int> = []) {
        let count = rows.map(\.count).max() ?? 0
        let cells = rows.map { row in
            row.enumerated().map { index, cell in
                Self.cut(
                    TerminalText.line(cell), index == count - 1 ? Self.lastWidthMax : Self.widthMax)
            }
        }
        let widths = (0..<count).map { column in
            cells.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        text = cells.map { row in
            let line = row.enumerated().map { index, cell in
                let space = String(repeating: " ", count: widths[index] - cell.count)
                return right.contains(index)
                    ? space + cell : index == count - 1 ? cell : cell + space
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count <= width ? text : "\(text.prefix(width - 1))…"
    }
}

/// Text from outside, so that it cannot control the terminal: what moves the cursor, changes colours
/// or reverses the direction of writing is written as an escape of JSON.
enum TerminalText {
    /// With its tabs, which move the cursor to the right alone.
    static func line(_ text: String) -> String {
        text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { escaped(String(Substring($0))) }.joined(separator: "\t")
    }

    /// The text of a JSON document, which remains the same document: control characters can only be
    /// in its strings.
    static func json(_ text: String) -> String { escaped(text) }

    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isUnsafe(scalar) else {
                safe.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                safe.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(safe)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }
}
