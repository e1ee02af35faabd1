/// Finds the name that was probably meant by a misspelt one.
package enum NearestName {
    private static let changesMax = 2

    /// `credential is unknown; did you mean credentials? Choose from …`
    package static func refusal(_ name: String, among names: [String]) -> String {
        let shown = name.utf8.filter { (0x21..<0x7F).contains($0) }.prefix(wordBytesMax)
        return String(decoding: shown, as: UTF8.self)
            + " is unknown\(find(name, among: names).map { "; did you mean \($0)?" } ?? ".")"
            + " Choose from \(names.joined(separator: ", "))"
    }

    private static let wordBytesMax = 64

    /// `; did you mean --port?`, or an empty text if no name is similar.
    package static func hint(_ name: String, among names: [String]) -> String {
        find(name, among: names).map { "; did you mean \($0)?" } ?? ""
    }

    /// The same name in another letter case, or else the nearest name with at most two changes; a
    /// short name may have fewer.
    package static func find(_ name: String, among names: [String]) -> String? {
        let asked = name.asciiLowercased
        if let same = names.first(where: { $0.asciiLowercased.isSame(as: asked) }) { return same }
        let distances = names.map { ($0, distance(asked, $0.asciiLowercased)) }
        guard let nearest = distances.min(by: { $0.1 < $1.1 }),
            nearest.1 <= min(changesMax, max(1, asked.utf8.count / 3))
        else { return nil }
        return nearest.0
    }

    /// The number of bytes to insert, remove or replace (Levenshtein).
    package static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (index, byte) in left.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (byte == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
