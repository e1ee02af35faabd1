import JSON

/// Formats JSON for people: a value that fits is on one line, unless it has several values with
/// members.
enum JSONLayout {
    private static let columnsMax = 100

    static func text(_ json: JSON) -> String { lines(json, indent: 0, column: 0) + "\n" }

    private static func lines(_ json: JSON, indent: Int, column: Int) -> String {
        let line = oneLine(json)
        if children(json).filter(hasMembers).count < 2, column + line.utf8.count < columnsMax {
            return line
        }
        let space = String(repeating: " ", count: indent + 2)
        let end = String(repeating: " ", count: indent)
        switch json {
        case .object(let object):
            let members = object.members.map { name, value in
                let label = "\(space)\(JSON.string(name).text): "
                return label + lines(value, indent: indent + 2, column: label.utf8.count)
            }
            return "{\n\(members.joined(separator: ",\n"))\n\(end)}"
        case .array(let items):
            let values = items.map {
                space + lines($0, indent: indent + 2, column: indent + 2)
            }
            return "[\n\(values.joined(separator: ",\n"))\n\(end)]"
        case .string, .number, .bool, .null:
            return line
        }
    }

    private static func oneLine(_ json: JSON) -> String {
        switch json {
        case .object(let object):
            let members = object.members.map {
                "\(JSON.string($0.name).text): \(oneLine($0.value))"
            }
            return "{\(members.joined(separator: ", "))}"
        case .array(let items):
            return "[\(items.map(oneLine).joined(separator: ", "))]"
        case .string, .number, .bool, .null:
            return json.text
        }
    }

    private static func children(_ json: JSON) -> [JSON] {
        json.arrayValue ?? json.objectValue?.members.map(\.value) ?? []
    }

    private static func hasMembers(_ json: JSON) -> Bool { !children(json).isEmpty }
}
