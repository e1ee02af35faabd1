package import JSON

/// The members of a request body, read with the types of the contract. `null` counts as absent;
/// unknown members are ignored for compatibility with newer clients.
package struct Fields: Sendable {
    package static let textBytesMax = 32 << 10

    private let object: JSONObject
    private let path: String

    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    package func text(_ name: String) throws(RequestError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw .invalidField(path + name, .notText) }
        guard text.utf8.count <= Self.textBytesMax else {
            throw .invalidField(path + name, .tooLong(bytesMax: Self.textBytesMax))
        }
        return text
    }

    /// An empty text counts as missing.
    package func required(_ name: String) throws(RequestError) -> String {
        guard let text = try text(name), !text.isEmpty else { throw .missingField(path + name) }
        return text
    }

    /// The same for a member that may be missing.
    package func optional(_ name: String) throws(RequestError) -> String? {
        guard let text = try text(name), !text.isEmpty else { return nil }
        return text
    }

    package func integer(_ name: String) throws(RequestError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let integer = value.int64Value else {
            throw .invalidField(path + name, .notInteger)
        }
        return integer
    }

    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(RequestError) -> Choice? {
        guard let text = try text(name) else { return nil }
        guard let choice = type.allCases.first(where: { $0.rawValue.utf8.elementsEqual(text.utf8) })
        else { throw .invalidField(path + name, .notOneOf(type.allCases.map(\.rawValue))) }
        return choice
    }

    package func object(_ name: String) throws(RequestError) -> Fields? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else {
            throw .invalidField(path + name, .notObject)
        }
        return Fields(object, path: "\(path)\(name).")
    }

    /// The members of a list; nothing where it is missing.
    package func list(_ name: String, _ defect: FieldDefect) throws(RequestError) -> [JSON] {
        guard let value = value(name) else { return [] }
        guard let list = value.arrayValue else { throw .invalidField(path + name, defect) }
        return list
    }

    private func value(_ name: String) -> JSON? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }
}
