/// Why a text is not a valid YAML document, and where.
package struct YAMLFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let place: TextPlace
    package let reason: String

    package init(_ place: TextPlace, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}

/// An error of libyaml, with the messages of its source.
struct ParserProblem {
    let problem: String
    let place: TextPlace
    /// The context: `while scanning a quoted scalar`.
    let context: String?
    let contextPlace: TextPlace
    /// The byte at the position.
    let found: UInt8?

    /// The error in the words of template authors.
    var failure: YAMLFailure {
        switch problem {
        case "found character that cannot start any token":
            if found == UInt8(ascii: "\t") {
                return YAMLFailure(place, "a tab cannot indent a line; use spaces")
            }
            let character = found.map { String(UnicodeScalar($0)) } ?? ""
            return YAMLFailure(
                place, "a value cannot begin with \(character); put it in quotes")
        case "mapping values are not allowed in this context":
            return YAMLFailure(
                place,
                "a key is not allowed here; is the line indented wrongly, or is a text with ': ' "
                    + "not in quotes?")
        case "did not find expected key":
            return YAMLFailure(
                place,
                "expected a key, as in the block of line \(contextPlace.line); is the line "
                    + "indented wrongly?")
        case "did not find expected '-' indicator":
            return YAMLFailure(
                place,
                "expected '-', as in the list of line \(contextPlace.line); is the line indented "
                    + "wrongly?")
        case "could not find expected ':'":
            return YAMLFailure(contextPlace, "expected ':' after this key")
        case "found unexpected end of stream":
            return YAMLFailure(contextPlace, "the quotation mark here is never closed")
        case "did not find expected node content":
            return YAMLFailure(place, "expected a value or a closing bracket")
        case "did not find expected ',' or ']'":
            return YAMLFailure(place, "expected ',' or ']', for the '[' at \(contextPlace)")
        case "did not find expected ',' or '}'":
            return YAMLFailure(place, "expected ',' or '}', for the '{' at \(contextPlace)")
        default:
            let whole = [problem, context].compactMap(\.self).joined(separator: " ")
            return YAMLFailure(place, whole)
        }
    }
}
