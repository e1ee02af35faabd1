internal import Bytes
internal import JSON

/// Answers as text for a terminal.
enum AdminTable {
    /// A row for each item, without the columns that no item has.
    static func text(_ json: JSON, _ action: AdminAction) -> String {
        if let (words, members) = action.report {
            let named = members.map { cell(json[$0]) }.filter { !$0.isEmpty }
            if !named.isEmpty { return ([words] + named).joined(separator: " ") }
        }
        guard let (list, columns) = action.table, let items = json[list]?.arrayValue else {
            return document(json)
        }
        let shown = columns.filter { column in items.contains { !cell($0[column]).isEmpty } }
        let rows = [shown] + items.map { item in shown.map { cell(item[$0]) } }
        let widths = shown.indices.map { index in rows.map { $0[index].count }.max() ?? 0 }
        var lines = rows.map { row in
            zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }.joined(separator: "  ")
        }.map(trimmed)
        if items.isEmpty { lines = ["None."] }
        if let next = json["next"]?.stringValue { lines.append("More: --after \(printable(next))") }
        return lines.joined(separator: "\n")
    }

    static func document(_ json: JSON) -> String {
        printable(String(decoding: json.serialized, as: UTF8.self))
    }

    private static func cell(_ value: JSON?) -> String {
        guard let value, value != .null else { return "" }
        if let flag = value.boolValue { return flag ? "yes" : "" }
        return printable(
            value.stringValue ?? String(decoding: value.serialized, as: UTF8.self))
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Other people choose names and reasons, so control characters are removed before they reach
    /// the terminal.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl =
                        scalar.properties.generalCategory == .control
                        || scalar.properties.generalCategory == .format
                    return isControl ? "\u{FFFD}" : scalar
                }))
    }
}
