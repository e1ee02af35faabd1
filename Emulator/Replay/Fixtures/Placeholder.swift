internal import Bytes
package import JSON

/// `<name>` in a text of a fixture: to be filled with a value, or to match one.
package enum Placeholder {
    /// A text, split at its placeholders.
    package enum Piece: Equatable, Sendable {
        case text(String)
        case placeholder(String)
    }

    package static func pieces(of text: String) -> [Piece] {
        let utf8 = Array(text.utf8)
        var pieces: [Piece] = []
        var start = 0
        var index = 0
        func add(literalTo end: Int) {
            guard start < end else { return }
            pieces.append(.text(String(decoding: utf8[start..<end], as: UTF8.self)))
        }
        while index < utf8.count {
            guard utf8[index] == UInt8(ascii: "<"), let end = endOfName(utf8, after: index) else {
                index += 1
                continue
            }
            add(literalTo: index)
            pieces.append(.placeholder(String(decoding: utf8[(index + 1)..<end], as: UTF8.self)))
            index = end + 1
            start = index
        }
        add(literalTo: utf8.count)
        return pieces
    }

    /// The position of the `>` after a name.
    private static func endOfName(_ utf8: [UInt8], after open: Int) -> Int? {
        var end = open + 1
        while end < utf8.count, isNameByte(utf8[end], isFirst: end == open + 1) { end += 1 }
        return end > open + 1 && end < utf8.count && utf8[end] == UInt8(ascii: ">") ? end : nil
    }

    private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        byte.isLetter || (!isFirst && byte.isDigit)
    }

    package static func names(in text: String) -> Set<String> {
        var names: Set<String> = []
        for case .placeholder(let name) in pieces(of: text) { names.insert(name) }
        return names
    }

    /// The names of all placeholders in the texts of a tree.
    package static func names(in json: JSON) -> Set<String> {
        switch json {
        case .string(let text): names(in: text)
        case .array(let elements):
            elements.reduce(into: []) { $0.formUnion(names(in: $1)) }
        case .object(let object):
            object.members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
        case .null, .bool, .number: []
        }
    }

    /// Replaces every placeholder by the value for its name.
    package static func fill(
        _ text: String, _ value: (String) throws(FixtureFailure) -> String?
    ) throws(FixtureFailure) -> String {
        var filled = ""
        for piece in pieces(of: text) {
            switch piece {
            case .text(let text): filled += text
            case .placeholder(let name):
                guard let value = try value(name) else { throw .unknownPlaceholder(name) }
                filled += value
            }
        }
        return filled
    }

    /// Fills the placeholders in the texts of a tree.
    package static func fill(
        _ json: JSON, _ value: (String) throws(FixtureFailure) -> String?
    ) throws(FixtureFailure) -> JSON {
        switch json {
        case .string(let text): return .string(try fill(text, value))
        case .array(let elements):
            var filled: [JSON] = []
            for element in elements { filled.append(try fill(element, value)) }
            return .array(filled)
        case .object(let object):
            var members: [(String, JSON)] = []
            for (name, member) in object.members {
                members.append((try fill(name, value), try fill(member, value)))
            }
            return .object(JSONObject(members))
        case .null, .bool, .number: return json
        }
    }
}
