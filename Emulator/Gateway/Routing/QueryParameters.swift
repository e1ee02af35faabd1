internal import Bytes
internal import EmulatorBase

/// The decoded parameters of a query, in order, with duplicates.
struct QueryParameters: Sendable {
    let pairs: [(name: String, value: String)]

    init(parsing query: String) {
        pairs = query.utf8.split(separator: UInt8(ascii: "&")).map { piece in
            let (name, value) = String(Substring(piece)).halves(at: "=")
            return (PercentText.query(name), PercentText.query(value ?? ""))
        }
    }

    /// The names in order, without duplicates, with all their values.
    var grouped: [(name: String, values: [String])] {
        Grouping.group(pairs, by: { TextKey($0) })
    }
}

/// Groups values by name.
enum Grouping {
    static func group(
        _ pairs: [(name: String, value: String)], by key: (String) -> TextKey
    ) -> [(name: String, values: [String])] {
        var groups: [(name: String, values: [String])] = []
        var indexes: [TextKey: Int] = [:]
        for (name, value) in pairs {
            let key = key(name)
            if let index = indexes[key] {
                groups[index].values.append(value)
            } else {
                indexes[key] = groups.count
                groups.append((name, [value]))
            }
        }
        return groups
    }
}
