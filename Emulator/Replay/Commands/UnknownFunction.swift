internal import Bytes
internal import EmulatorText

extension FixtureFailure {
    /// Lists the functions, with the name that was probably meant. `names` are all names that they
    /// have.
    static func unknownFunction(
        _ name: String, among functions: [String], names: [String]? = nil
    ) -> FixtureFailure {
        let near = NearestName.find(name, among: names ?? functions)
        let hint = near.map { "; did you mean \($0)?" } ?? "."
        let list =
            functions.isEmpty
            ? "There are none." : "Functions: \(functions.joined(separator: ", "))"
        return FixtureFailure("function not found: \(name)\(hint) \(list)")
    }
}

/// The name that someone who mistyped one meant.
enum NearestName {
    /// nil when none is near.
    static func find(_ name: String, among names: [String]) -> String? {
        let asked = name.asciiLowercased
        if let same = names.first(where: { $0.asciiLowercased.isSame(as: asked) }) { return same }
        // `refresh` for `RefreshFunction`, and the other way round.
        let parts = names.filter { other in
            other.containsIgnoringCase(asked) || asked.containsIgnoringCase(other)
        }
        if parts.count == 1 { return parts[0] }
        let distances = names.map { ($0, distance(asked, $0.asciiLowercased)) }
        guard let nearest = distances.min(by: { $0.1 < $1.1 }),
            nearest.1 <= max(1, asked.utf8.count / 3)
        else { return nil }
        return nearest.0
    }

    /// How many bytes must be inserted, removed or replaced (Levenshtein).
    static func distance(_ left: String, _ right: String) -> Int {
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
