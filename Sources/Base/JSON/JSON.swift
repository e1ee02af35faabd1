/// One JSON value (RFC 8259), as a tree.
///
/// It is a tree and not `Codable`, so that untrusted input is validated once, strictly, and names
/// of members appear only in our own code. It also avoids loading Foundation in a cold start.
package enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

extension JSON: Equatable {
    /// Compares bytes: `"\u{E9}"` and `"e\u{301}"` differ here, although Swift's `String` treats
    /// them as equal.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

extension JSON {
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var numberValue: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The integer, if this is a number written as an integer: `1.0` and `1e3` are not.
    package var int64Value: Int64? { numberValue?.int64 }

    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var arrayValue: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name; nil if there is none or this is not an object.
    package subscript(name: String) -> JSON? { objectValue?[name] }

    package static func number(_ value: Int64) -> JSON { .number(JSONNumber(value)) }
    package static func number(_ value: Int) -> JSON { .number(JSONNumber(value)) }
}

extension String {
    /// UTF-8 equality; `==` is canonical equivalence and treats the Kelvin sign as equal to `K`.
    func hasSameBytes(as other: String) -> Bool {
        // Compare the lengths first: most names differ there, and the span of a short string is a
        // copy.
        guard utf8.count == other.utf8.count else { return false }
        let (left, right) = (utf8.span, other.utf8.span)
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
