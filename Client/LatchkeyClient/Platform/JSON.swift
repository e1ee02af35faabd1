import Foundation

/// A JSON value. Bodies differ between contracts, so their members are read by name.
enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// nil if the bytes are not JSON.
    init?(_ bytes: Data) {
        guard let value = try? JSONDecoder().decode(JSON.self, from: bytes) else { return nil }
        self = value
    }

    var bytes: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)) ?? Data()
    }

    subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Some contracts have integers as identifiers.
    var identifier: String? {
        if case .integer(let number) = self { String(number) } else { text }
    }

    var seconds: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }

    var flag: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    var items: [JSON]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// An object with the members that have a value.
    static func members(_ members: [String: JSON?]) -> JSON {
        .object(members.compactMapValues { $0 })
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Tries the most frequent types first, because each failed attempt creates an error with
        // its coding path.
        if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSON].self) {
            self = .object(value)
        } else if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

extension String {
    var json: JSON { .string(self) }
}
