internal import Bytes
internal import JSON

/// Why a definition is invalid.
package struct DefinitionFailure: Error, Sendable, Equatable {
    package let text: String

    init(_ text: String) { self.text = text }
}

/// Parses a JSON object; unknown members and wrong types are errors.
struct DefinitionReader {
    private static let textBytesMax = 4096

    let object: JSONObject
    private let subject: String

    init(_ json: JSON, _ subject: String, members: [String]) throws(DefinitionFailure) {
        guard let object = json.objectValue else {
            throw DefinitionFailure("\(subject): not an object")
        }
        let known = object.members.allSatisfy { member in
            members.contains { $0.isSame(as: member.name) }
        }
        guard known else {
            let legal = members.joined(separator: ", ")
            throw DefinitionFailure("\(subject): unknown member; expected \(legal)")
        }
        self.object = object
        self.subject = subject
    }

    private func wrong(_ name: String, _ kind: String) -> DefinitionFailure {
        DefinitionFailure("\(subject): \(name) must be \(kind)")
    }

    /// nil if the member is absent or null.
    private func value(_ name: String) -> JSON? {
        object[name].flatMap { $0.isNull ? nil : $0 }
    }

    func text(_ name: String, bytesMax: Int = textBytesMax) throws(DefinitionFailure) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue, !text.isEmpty, text.utf8.count <= bytesMax,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x0D })
        else { throw wrong(name, "a string of 1 to \(bytesMax) bytes without control characters") }
        return text
    }

    func flag(_ name: String) throws(DefinitionFailure) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.boolValue else { throw wrong(name, "true or false") }
        return flag
    }

    func number(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(DefinitionFailure) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64Value, range.contains(number) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A list of strings, or a single string.
    func texts(_ name: String, max: Int) throws(DefinitionFailure) -> [String] {
        guard let value = value(name) else { return [] }
        if let text = try? text(name) { return [text] }
        guard let values = value.arrayValue, values.count <= max else {
            throw wrong(name, "a string or a list of at most \(max) strings")
        }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count, texts.allSatisfy({ $0.utf8.count <= Self.textBytesMax })
        else { throw wrong(name, "a string or a list of at most \(max) strings") }
        return texts
    }

    func objects(_ name: String, max: Int) throws(DefinitionFailure) -> [JSON] {
        guard let value = value(name) else { return [] }
        guard let values = value.arrayValue, values.count <= max,
            values.allSatisfy({ $0.objectValue != nil })
        else { throw wrong(name, "a list of at most \(max) objects") }
        return values
    }

    func members(_ name: String) throws(DefinitionFailure) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw wrong(name, "an object") }
        return object
    }
}
