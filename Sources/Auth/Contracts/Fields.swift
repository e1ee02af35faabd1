package import AuthOperations
package import JSON

/// The members of a request body, read with the type that a contract gives them. `null` and
/// absent mean the same; a member that nobody asks for is ignored, so that clients can be newer.
package struct Fields: Sendable {
    package static let textBytesMax = 32 << 10

    private let object: JSONObject
    private let path: String

    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    package func text(_ name: String) throws(Problem) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue, text.utf8.count <= Self.textBytesMax else {
            throw .invalid(field: path + name)
        }
        return text
    }

    /// A text that says something: an empty one is as good as none.
    package func required(_ name: String) throws(Problem) -> String {
        guard let text = try text(name), !text.isEmpty else { throw .missing(field: path + name) }
        return text
    }

    package func integer(_ name: String) throws(Problem) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.int64Value else { throw .invalid(field: path + name) }
        return integer
    }

    package func choice<Choice: RawRepresentable<String>>(
        _ name: String, _ type: Choice.Type
    ) throws(Problem) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else { throw .invalid(field: path + name) }
        return choice
    }

    package func object(_ name: String) throws(Problem) -> Fields? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw .invalid(field: path + name) }
        return Fields(object, path: "\(path)\(name).")
    }

    private func value(_ name: String) -> JSON? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }
}
