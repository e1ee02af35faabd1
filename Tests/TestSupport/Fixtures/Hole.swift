package import JSON

/// `<name>` in a text of a fixture: something is filled in, or something must fit.
package enum Hole {
    /// A text, taken apart at its holes.
    package enum Piece: Equatable, Sendable {
        case text(String)
        case hole(String)
    }

    package static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<") {
            let behind = rest[rest.index(after: open)...]
            let name = behind.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard let first = name.first, first.isLetter, behind[name.endIndex...].first == ">"
            else {
                literal += rest[...open]
                rest = behind
                continue
            }
            literal += rest[..<open]
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.hole(String(name)))
            rest = behind[behind.index(after: name.endIndex)...]
        }
        literal += rest
        if !literal.isEmpty { pieces.append(.text(literal)) }
        return pieces
    }

    package struct Unknown: Error, Equatable, CustomStringConvertible {
        package let name: String
        package var description: String { "<\(name)> is a hole that nobody fills" }

        package init(name: String) { self.name = name }
    }

    /// Fills every hole with what `value` gives for its name.
    package static func fill(
        _ text: String, _ value: (String) throws -> String?
    ) throws -> String {
        try pieces(of: text).map { piece in
            switch piece {
            case .text(let text): return text
            case .hole(let name):
                guard let value = try value(name) else { throw Unknown(name: name) }
                return value
            }
        }.joined()
    }

    /// Fills the texts of a tree.
    package static func fill(
        _ json: JSON, _ value: (String) throws -> String?
    ) throws -> JSON {
        switch json {
        case .string(let text): return .string(try fill(text, value))
        case .array(let elements): return .array(try elements.map { try fill($0, value) })
        case .object(let object):
            return .object(
                JSONObject(
                    try object.members.map { (try fill($0.name, value), try fill($0.value, value)) }
                ))
        case .null, .bool, .number: return json
        }
    }
}
