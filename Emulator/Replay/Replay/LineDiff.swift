/// The difference of two texts for display: lines with `-` and `+`, and some context.
enum LineDiff {
    private enum Line {
        case same(Substring), removed(Substring), added(Substring)
    }

    private static let contextLines = 3
    /// Longer texts are shown one after the other, because the comparison's table grows
    /// quadratically.
    private static let linesMax = 2000

    /// The hunks with marked lines, separated by `…`.
    static func lines(_ expected: String, _ found: String) -> [String] {
        let lines = difference(
            expected.split(separator: "\n"), found.split(separator: "\n"))
        let changed = lines.indices.filter { index in
            if case .same = lines[index] { false } else { true }
        }
        var shown = Set<Int>()
        for index in changed {
            shown.formUnion(
                max(0, index - contextLines)...min(lines.count - 1, index + contextLines))
        }
        var text: [String] = []
        var last = -1
        for index in shown.sorted() {
            if index != last + 1 { text.append("  …") }
            last = index
            switch lines[index] {
            case .same(let line): text.append("  \(line)")
            case .removed(let line): text.append("- \(line)")
            case .added(let line): text.append("+ \(line)")
            }
        }
        if last >= 0, last != lines.count - 1 { text.append("  …") }
        return text
    }

    /// Compares lines by their longest common subsequence.
    private static func difference(_ old: [Substring], _ new: [Substring]) -> [Line] {
        guard old.count <= linesMax, new.count <= linesMax else {
            return old.map { .removed($0) } + new.map { .added($0) }
        }
        var lengths = [[Int]](
            repeating: [Int](repeating: 0, count: new.count + 1), count: old.count + 1)
        for i in old.indices.reversed() {
            for j in new.indices.reversed() {
                lengths[i][j] =
                    isSame(old[i], new[j])
                    ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
            }
        }
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, isSame(old[i], new[j]) {
                lines.append(.same(old[i]))
                (i, j) = (i + 1, j + 1)
            } else if i < old.count, j == new.count || lengths[i + 1][j] >= lengths[i][j + 1] {
                lines.append(.removed(old[i]))
                i += 1
            } else {
                lines.append(.added(new[j]))
                j += 1
            }
        }
        return lines
    }

    /// A trailing comma is ignored: it depends on the next line only.
    private static func isSame(_ left: Substring, _ right: Substring) -> Bool {
        func bare(_ line: Substring) -> Substring.UTF8View {
            (line.hasSuffix(",") ? line.dropLast() : line).utf8
        }
        return bare(left).elementsEqual(bare(right))
    }
}
