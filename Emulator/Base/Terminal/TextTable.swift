/// Rows of cells in aligned columns, the first row a heading, for a terminal.
package struct TextTable {
    private static let widthMax = 48
    /// The last column is not padded.
    private static let lastWidthMax = 200

    package let text: String

    /// - Parameter right: the right-aligned columns.
    package init(_ rows: [[String]], right: Set<Int> = []) {
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
