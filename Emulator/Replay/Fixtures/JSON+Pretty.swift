package import JSON

extension JSON {
    /// Formatted for people: an indent of two spaces, one member on each line, short lists of plain
    /// values on one line.
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

    private var isPlain: Bool {
        switch self {
        case .null, .bool, .number, .string: true
        case .array, .object: false
        }
    }
}
