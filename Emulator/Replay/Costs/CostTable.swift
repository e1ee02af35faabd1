internal import Bytes
internal import EmulatorBase

/// The table of costs in a Markdown file. A row begins with the name of a fixture; the cells
/// between the name and the costs are written by the author.
struct CostTable {
    private static let head = "| Fixture | Trips | Read units | Write units |"
    private static let line = "|---|---:|---:|---:|"
    private static let measuredCells = 3

    private var before: [String]
    private var cells: [(fixture: String, cells: [String])] = []
    private let after: [String]

    var fixtures: [String] { cells.map(\.fixture) }
    private(set) var changes = 0

    /// An empty table if the text has none.
    init(_ text: String, at file: String) throws(FixtureFailure) {
        var lines = text.pieces(at: "\n")
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard let start = lines.firstIndex(where: { $0.has(prefix: "| Fixture |") }) else {
            if lines.last?.isEmpty == false { lines.append("") }
            before = lines + [Self.head, Self.line]
            after = []
            return
        }
        let rows = lines[start...].dropFirst(2).prefix { $0.has(prefix: "|") }
        before = Array(lines[..<rows.startIndex])
        after = Array(lines[rows.endIndex...])
        for (index, row) in zip(rows.indices, rows) {
            let parts = row.pieces(at: "|").dropFirst().dropLast().map(\.trimmed)
            guard parts.count > Self.measuredCells,
                let name = parts.first, name.has(prefix: "`"), name.has(suffix: "`")
            else {
                throw FixtureFailure(
                    "\(file):\(index + 1): expected a row such as "
                        + "'| `signin/known-user` | 3 | 6 | 12 |'")
            }
            cells.append((String(name.dropFirst().dropLast()), Array(parts.dropFirst())))
        }
    }

    func costs(of fixture: String) -> [String]? {
        cells.first { $0.fixture.isSame(as: fixture) }?.cells.suffix(Self.measuredCells)
    }

    /// Changes the row of a fixture, or adds one.
    mutating func set(_ cost: StoreCost, of fixture: String) {
        guard let index = cells.firstIndex(where: { $0.fixture.isSame(as: fixture) }) else {
            let columns = before.last.map { $0.pieces(at: "|").count - 3 } ?? 0
            let others = Array(repeating: "", count: columns - Self.measuredCells)
            cells.append((fixture, others + cost.cells))
            changes += 1
            return
        }
        let others = cells[index].cells.dropLast(Self.measuredCells)
        if cells[index].cells != others + cost.cells { changes += 1 }
        cells[index].cells = others + cost.cells
    }

    /// The file with the rows by name.
    var text: String {
        let rows = cells.sorted { $0.fixture < $1.fixture }.map { fixture, cells in
            "| `\(fixture)` | \(cells.joined(separator: " | ")) |"
        }
        return (before + rows + after).joined(separator: "\n") + "\n"
    }
}
