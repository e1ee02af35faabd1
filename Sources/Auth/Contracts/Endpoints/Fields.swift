internal import Bytes
package import JSON

/// The members of a request body, read with the types of the contract. `null` counts as absent;
/// unknown members are ignored for compatibility with newer clients, except where an endpoint
/// refuses them (`only`).
package struct Fields: Sendable {
    package static let textBytesMax = 32 << 10

    private let object: JSONObject
    private let path: String

    package init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
    }

    /// Returns these fields; throws if there are others. Requests that end or grant something use
    /// this: a client that sends an unsupported member, such as `{"everywhere": true}`, must not
    /// believe that it took effect.
    package func only(_ names: String...) throws(RequestError) -> Fields {
        for (name, value) in object.members where !value.isNull {
            guard names.contains(where: name.isSame(as:)) || name.isSame(as: Self.authorization)
            else {
                let isShort = name.utf8.count <= Self.nameBytesMax
                throw .invalidField(path + (isShort ? name : "…"), .unknown(known: names))
            }
        }
        return self
    }

    /// The limit of a member name that an error repeats to the client.
    private static let nameBytesMax = 64
    /// The member of a direct payload that replaces the header.
    private static let authorization = "authorization"

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

    /// nil if the member is absent or its text is empty.
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

    /// All members, for a document that another standard defines.
    package var members: JSONObject { object }

    package func has(_ name: String) -> Bool { value(name) != nil }

    /// A value whose form is defined elsewhere.
    package func requiredJSON(_ name: String) throws(RequestError) -> JSON {
        guard let value = value(name) else { throw .missingField(path + name) }
        return value
    }

    package func flag(_ name: String) throws(RequestError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.boolValue else { throw .invalidField(path + name, .notFlag) }
        return flag
    }

    /// A list of objects.
    package func objects(_ name: String, max: Int) throws(RequestError) -> [Fields] {
        guard let value = value(name) else { throw .missingField(path + name) }
        guard let items = value.arrayValue, items.count <= max else {
            throw .invalidField(path + name, .notList(itemsMax: max))
        }
        return try items.enumerated().map { index, item throws(RequestError) in
            let path = "\(path)\(name)[\(index)]"
            guard let object = item.objectValue else { throw .invalidField(path, .notObject) }
            return Fields(object, path: path + ".")
        }
    }

    private func value(_ name: String) -> JSON? {
        guard let value = object[name], value != .null else { return nil }
        return value
    }
}
