package import JSON

extension JSON {
    /// The JSON formatted for people: an indent of two spaces, one member on each line, short lists
    /// of plain values on one line.
    package var pretty: String { pretty(indent: "") + "\n" }

    private func pretty(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { name, value in
                "\(inner)\(JSON.string(name).text): \(value.pretty(indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where elements.contains(where: { !$0.isPlain }):
            let lines = elements.map { inner + $0.pretty(indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .array(let elements):
            return "[\(elements.map(\.text).joined(separator: ", "))]"
        case .null, .bool, .number, .string, .object: return text
        }
    }

    /// The JSON formatted for people who write it by hand: each value that fits is on one line,
    /// except for the outermost value.
    package var formatted: String { broken(indent: "") + "\n" }

    private static let columnsMax = 100

    /// `column` is the column where the value begins, and `end` is the text after it on its line.
    private func formatted(indent: String, column: Int, end: Int) -> String {
        let line = spaced
        return column + line.unicodeScalars.count + end <= Self.columnsMax
            ? line : broken(indent: indent)
    }

    private func broken(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .object(let object) where !object.isEmpty:
            let lines = object.members.map { name, value in
                let start = "\(inner)\(JSON.string(name).text): "
                return start
                    + value.formatted(indent: inner, column: start.unicodeScalars.count, end: 1)
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map {
                inner + $0.formatted(indent: inner, column: inner.count, end: 1)
            }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .null, .bool, .number, .string, .object, .array: return text
        }
    }

    /// The text on one line, with spaces between members.
    private var spaced: String {
        switch self {
        case .object(let object):
            let members = object.members.map { "\(JSON.string($0).text): \($1.spaced)" }
            return "{\(members.joined(separator: ", "))}"
        case .array(let elements): return "[\(elements.map(\.spaced).joined(separator: ", "))]"
        case .null, .bool, .number, .string: return text
        }
    }

    private var isPlain: Bool {
        switch self {
        case .null, .bool, .number, .string: true
        case .array, .object: false
        }
    }
}
