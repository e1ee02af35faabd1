internal import Bytes
package import JSON

/// The expected response: a JSON tree whose strings may contain placeholders.
package struct Expectation {
    package let pattern: JSON
    private let shapes: PlaceholderShapes
    /// Whether a JSON body must be compact.
    private let isStrict: Bool
    /// The fixture's values by name.
    private let value: (String) -> String?

    package init(
        _ pattern: JSON, shapes: PlaceholderShapes = .builtIn, isStrict: Bool = true,
        value: @escaping (String) -> String? = { _ in nil }
    ) {
        self.pattern = pattern
        self.shapes = shapes
        self.isStrict = isStrict
        self.value = value
    }

    /// The result of comparing a response with the pattern.
    package struct Comparison {
        /// All differences, each with its path.
        package fileprivate(set) var differences: [String] = []
        /// The response, with the pattern's own text where it matches.
        package fileprivate(set) var aligned: JSON = .null
    }

    /// The differences; empty if the response matches.
    package func differences(from answer: JSON) -> [String] { compare(answer).differences }

    /// A gateway response contains its body as text. If the pattern has a tree there, the text is
    /// parsed as JSON first. `rewriting` converts the parts that do not match.
    package func compare(
        _ answer: JSON, rewriting: @escaping (JSON, _ member: String) -> JSON = { json, _ in json }
    ) -> Comparison {
        var walk = Walk(shapes: shapes, value: value, rewriting: rewriting)
        guard let expected = pattern.objectValue, expected["statusCode"] != nil,
            let body = expected["body"], body.objectValue != nil || body.arrayValue != nil,
            let text = answer["body"]?.stringValue, var object = answer.objectValue
        else {
            walk.result.aligned = walk.align(pattern, answer, at: "", member: "")
            return walk.result
        }
        guard let parsed = try? JSON.parse(text, limits: .event) else {
            walk.result.differences.append("body: not JSON: \(text)")
            walk.result.aligned = answer
            return walk.result
        }
        if isStrict, !parsed.text.isSame(as: text) {
            walk.result.differences.append("body: not compact: \(text)")
        }
        object["body"] = parsed
        walk.result.aligned = walk.align(pattern, .object(object), at: "", member: "")
        return walk.result
    }
}

/// Traverses both trees.
private struct Walk {
    let shapes: PlaceholderShapes
    let value: (String) -> String?
    let rewriting: (JSON, String) -> JSON
    var result = Expectation.Comparison()

    mutating func align(
        _ pattern: JSON, _ actual: JSON, at path: String, member: String
    ) -> JSON {
        switch (pattern, actual) {
        case (.object(let pattern), .object(let actual)):
            return members(pattern, actual, at: path)
        case (.array(let pattern), .array(let actual)):
            var aligned: [JSON] = []
            for (index, element) in actual.enumerated() {
                let here = "\(path)[\(index)]"
                if pattern.indices.contains(index) {
                    aligned.append(align(pattern[index], element, at: here, member: member))
                } else {
                    aligned.append(rewriting(element, member))
                }
            }
            if pattern.count != actual.count {
                result.differences.append(
                    "\(path): expected \(pattern.count) element\(pattern.count == 1 ? "" : "s"), "
                        + "found \(actual.count)")
            }
            return .array(aligned)
        case (.string(let text), _):
            guard let problem = problem(text, actual) else { return pattern }
            result.differences.append("\(path): \(problem)")
        default:
            guard pattern != actual else { return pattern }
            result.differences.append("\(path): expected \(pattern.text), found \(actual.text)")
        }
        return rewriting(actual, member)
    }

    private mutating func members(
        _ pattern: JSONObject, _ actual: JSONObject, at path: String
    ) -> JSON {
        let prefix = path.isEmpty ? "" : path + "."
        var aligned: [(String, JSON)] = []
        for (name, expected) in pattern.members {
            if let found = actual[name] {
                aligned.append((name, align(expected, found, at: prefix + name, member: name)))
            } else {
                result.differences.append("\(prefix)\(name): missing, expected \(expected.text)")
            }
        }
        for (name, found) in actual.members where pattern[name] == nil {
            result.differences.append("\(prefix)\(name): unexpected, found \(found.text)")
            aligned.append((name, rewriting(found, name)))
        }
        return .object(JSONObject(aligned))
    }

    /// The difference, or nil.
    private func problem(_ pattern: String, _ actual: JSON) -> String? {
        let pieces = Placeholder.pieces(of: pattern)
        if pieces.count == 1, case .placeholder(let name) = pieces[0], shapes.isNumeric(name) {
            guard let number = actual.numberValue, shapes.fits(number.text, name) else {
                return "expected a number that is <\(name)>, found \(actual.text)"
            }
            return nil
        }
        if pieces.count == 1, case .placeholder(let name) = pieces[0],
            PlaceholderShape(rawValue: name) == .texts
        {
            let texts = actual.arrayValue?.map(\.stringValue) ?? []
            guard texts.isEmpty || texts.contains(where: { $0?.isEmpty ?? true }) else {
                return nil
            }
            return "expected a list of texts, found \(actual.text)"
        }
        guard let found = actual.stringValue else {
            return "expected \(JSON.string(pattern).text), found \(actual.text)"
        }
        var filled: [Placeholder.Piece] = []
        for piece in pieces {
            guard case .placeholder(let name) = piece, !shapes.contains(name) else {
                filled.append(piece)
                continue
            }
            guard let value = value(name) else { return "unknown placeholder <\(name)>" }
            filled.append(.text(value))
        }
        guard !fits(filled[...], Array(found.utf8)[...]) else { return nil }
        return "expected \(JSON.string(pattern).text), found \(actual.text)"
    }

    private func fits(_ pieces: ArraySlice<Placeholder.Piece>, _ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = pieces.first else { return bytes.isEmpty }
        let rest = pieces.dropFirst()
        switch first {
        case .text(let text):
            return bytes.starts(with: text.utf8) && fits(rest, bytes.dropFirst(text.utf8.count))
        case .placeholder(let name):
            let ends =
                rest.isEmpty ? bytes.endIndex...bytes.endIndex : bytes.startIndex...bytes.endIndex
            return ends.contains { end in
                fits(rest, bytes[end...])
                    && shapes.fits(String(decoding: bytes[..<end], as: UTF8.self), name)
            }
        }
    }
}
