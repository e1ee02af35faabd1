internal import Bytes
package import JSON

/// What an answer must be: a tree in which a text may have holes.
package struct Expectation {
    package let pattern: JSON
    private let tokens: TokenShapes
    /// The values that the fixture knows by name.
    private let value: (String) -> String?

    package init(
        _ pattern: JSON, tokens: TokenShapes, value: @escaping (String) -> String? = { _ in nil }
    ) {
        self.pattern = pattern
        self.tokens = tokens
        self.value = value
    }

    /// Every way in which `answer` differs; empty when it is as it must be.
    ///
    /// A gateway's answer carries its body as a text. Where the pattern has a tree there, the text
    /// is read as JSON first.
    package func differences(from answer: JSON) -> [String] {
        guard let expected = pattern.objectValue, expected["statusCode"] != nil,
            let body = expected["body"], body.objectValue != nil || body.arrayValue != nil,
            let text = answer["body"]?.stringValue
        else { return compare(pattern, answer, at: "") }
        guard let parsed = try? JSON.parse(text, limits: .event) else {
            return ["body: not JSON: \(text)"]
        }
        var differences: [String] = []
        if !parsed.text.utf8.elementsEqual(text.utf8) {
            differences.append("body: not compact: \(text)")
        }
        guard var object = answer.objectValue else { return ["not an object"] }
        object["body"] = parsed
        return differences + compare(pattern, .object(object), at: "")
    }

    private func compare(_ pattern: JSON, _ actual: JSON, at path: String) -> [String] {
        switch (pattern, actual) {
        case (.object(let pattern), .object(let actual)):
            return members(pattern, actual, at: path)
        case (.array(let pattern), .array(let actual)):
            guard pattern.count == actual.count else {
                return ["\(path): \(pattern.count) elements expected, \(actual.count) found"]
            }
            return zip(pattern, actual).enumerated().flatMap { index, pair in
                compare(pair.0, pair.1, at: "\(path)[\(index)]")
            }
        case (.string(let pattern), _):
            return text(pattern, actual).map { ["\(path): \($0)"] } ?? []
        default:
            guard pattern != actual else { return [] }
            return ["\(path): expected \(pattern.text), found \(actual.text)"]
        }
    }

    private func members(
        _ pattern: JSONObject, _ actual: JSONObject, at path: String
    ) -> [String] {
        var differences: [String] = []
        let prefix = path.isEmpty ? "" : path + "."
        for (name, expected) in pattern.members {
            if let found = actual[name] {
                differences += compare(expected, found, at: prefix + name)
            } else {
                differences.append("\(prefix)\(name): missing, expected \(expected.text)")
            }
        }
        for (name, found) in actual.members where pattern[name] == nil {
            differences.append("\(prefix)\(name): unexpected, found \(found.text)")
        }
        return differences
    }

    /// What is wrong, or nil.
    private func text(_ pattern: String, _ actual: JSON) -> String? {
        let pieces = Hole.pieces(of: pattern)
        if pieces.count == 1, case .hole(let name) = pieces[0],
            let shape = HoleShape(rawValue: name),
            shape.isNumeric
        {
            guard let number = actual.numberValue, shape.fits(number.text, tokens) else {
                return "expected a number that is <\(name)>, found \(actual.text)"
            }
            return nil
        }
        guard let found = actual.stringValue else {
            return "expected \(JSON.string(pattern).text), found \(actual.text)"
        }
        var filled: [Hole.Piece] = []
        for piece in pieces {
            guard case .hole(let name) = piece, HoleShape(rawValue: name) == nil else {
                filled.append(piece)
                continue
            }
            guard let value = value(name) else { return "<\(name)> is no hole that anybody fills" }
            filled.append(.text(value))
        }
        guard !fits(filled[...], Array(found.utf8)[...]) else { return nil }
        return "expected \(JSON.string(pattern).text), found \(actual.text)"
    }

    private func fits(_ pieces: ArraySlice<Hole.Piece>, _ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = pieces.first else { return bytes.isEmpty }
        let rest = pieces.dropFirst()
        switch first {
        case .text(let text):
            return bytes.starts(with: text.utf8) && fits(rest, bytes.dropFirst(text.utf8.count))
        case .hole(let name):
            guard let shape = HoleShape(rawValue: name) else { return false }
            let ends =
                rest.isEmpty ? bytes.endIndex...bytes.endIndex : bytes.startIndex...bytes.endIndex
            return ends.contains { end in
                fits(rest, bytes[end...])
                    && shape.fits(String(decoding: bytes[..<end], as: UTF8.self), tokens)
            }
        }
    }
}

extension Expectation {
    /// The pattern that a first answer suggests: what varies becomes a hole. A person looks at it
    /// before it counts.
    package static func recorded(
        _ answer: JSON, tokens: TokenShapes, names: [(value: String, name: String)]
    ) -> JSON {
        var answer = answer
        if var object = answer.objectValue, object["statusCode"] != nil,
            let text = object["body"]?.stringValue,
            let body = try? JSON.parse(text, limits: .event),
            body.objectValue != nil || body.arrayValue != nil
        {
            object["body"] = body
            answer = .object(object)
        }
        return holes(in: answer, member: "", tokens, names)
    }

    private static func holes(
        in json: JSON, member: String, _ tokens: TokenShapes,
        _ names: [(value: String, name: String)]
    ) -> JSON {
        switch json {
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map {
                        ($0.name, holes(in: $0.value, member: $0.name, tokens, names))
                    }
                ))
        case .array(let elements):
            return .array(elements.map { holes(in: $0, member: member, tokens, names) })
        case .number(let number):
            return HoleShape.epochSeconds.fits(number.text, tokens) ? "<epochSeconds>" : json
        case .string(let text):
            let longestFirst = names.sorted { $0.value.utf8.count > $1.value.utf8.count }
            if let known = longestFirst.first(where: { text.contains($0.value) }) {
                return .string(text.replacing(known.value, with: "<\(known.name)>"))
            }
            if member == "retry-after", text != "1" { return "<retrySeconds>" }
            if member == "kid" { return "<kid>" }
            if member == "x" || member == "y" { return "<coordinate>" }
            let tried: [HoleShape] = [
                .uuid, .instant, .instantSeconds, .accessToken, .refreshToken, .nonce,
            ]
            let shape = tried.first { $0.fits(text, tokens) }
            if let shape { return .string("<\(shape.rawValue)>") }
            let segments = text.split(separator: "/", omittingEmptySubsequences: false)
            return .string(
                segments.map { HoleShape.uuid.fits(String($0), tokens) ? "<uuid>" : String($0) }
                    .joined(separator: "/"))
        case .null, .bool: return json
        }
    }
}
