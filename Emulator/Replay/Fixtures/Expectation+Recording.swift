internal import Bytes
package import JSON

extension Expectation {
    /// A pattern for the first response of a fixture: variable values become placeholders. It is to
    /// be reviewed.
    package static func recorded(
        _ answer: JSON, shapes: PlaceholderShapes, names: [(value: String, name: String)]
    ) -> JSON {
        placeholders(in: withBodyAsTree(answer), member: "", shapes: shapes, names: names)
    }

    /// The pattern with changes only where the response does not match.
    package func updated(
        _ answer: JSON, shapes: PlaceholderShapes, names: [(value: String, name: String)]
    ) -> JSON {
        compare(answer) { json, member in
            Self.placeholders(in: json, member: member, shapes: shapes, names: names)
        }.aligned
    }

    private static func withBodyAsTree(_ answer: JSON) -> JSON {
        guard var object = answer.objectValue, object["statusCode"] != nil,
            let text = object["body"]?.stringValue,
            let body = try? JSON.parse(text, limits: .event),
            body.objectValue != nil || body.arrayValue != nil
        else { return answer }
        object["body"] = body
        return .object(object)
    }

    /// Replaces the variable values of a tree by placeholders.
    static func placeholders(
        in json: JSON, member: String, shapes: PlaceholderShapes,
        names: [(value: String, name: String)]
    ) -> JSON {
        switch json {
        case .object(let object):
            let members = object.members.map { name, value in
                (name, placeholders(in: value, member: name, shapes: shapes, names: names))
            }
            return .object(JSONObject(members))
        case .array(let elements):
            return .array(
                elements.map { placeholders(in: $0, member: member, shapes: shapes, names: names) })
        case .number(let number):
            let times: [PlaceholderShape] = [.epochSeconds, .epochMilliseconds]
            return times.first { $0.fits(number.text) }.map { .string("<\($0.rawValue)>") } ?? json
        case .string(let text):
            return .string(placeholders(inText: text, member: member, shapes: shapes, names: names))
        case .null, .bool: return json
        }
    }

    private static func placeholders(
        inText text: String, member: String, shapes: PlaceholderShapes,
        names: [(value: String, name: String)]
    ) -> String {
        let longestFirst = names.sorted { $0.value.utf8.count > $1.value.utf8.count }
        if let known = longestFirst.first(where: { text.contains($0.value) }) {
            return text.replacing(known.value, with: "<\(known.name)>")
        }
        // Fixtures do not check the wording of pages, because pages have separate tests.
        if member.isSame(as: "body"), text.hasPrefix("<!DOCTYPE html>") { return "<text>" }
        let isBits = PlaceholderShape.nonce.fits(text)
        switch member {
        case "retry-after" where PlaceholderShape.retrySeconds.fits(text) && !text.isSame(as: "1"):
            return "<retrySeconds>"
        case "kid" where isBits: return "<kid>"
        case "x" where isBits, "y" where isBits: return "<coordinate>"
        default: break
        }
        if let name = shapes.name(for: text) { return "<\(name)>" }
        return text.split(separator: "/", omittingEmptySubsequences: false)
            .map { PlaceholderShape.uuid.fits(String($0)) ? "<uuid>" : String($0) }
            .joined(separator: "/")
    }
}
