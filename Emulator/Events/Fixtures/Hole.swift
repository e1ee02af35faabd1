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

    /// Fills every hole with what `value` gives for its name.
    package static func fill(
        _ text: String, _ value: (String) throws(FixtureFailure) -> String?
    ) throws(FixtureFailure) -> String {
        var filled = ""
        for piece in pieces(of: text) {
            switch piece {
            case .text(let text): filled += text
            case .hole(let name):
                guard let value = try value(name) else { throw .unknownHole(name) }
                filled += value
            }
        }
        return filled
    }

    /// Fills the texts of a tree.
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
