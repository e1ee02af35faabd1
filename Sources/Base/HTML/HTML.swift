/// HTML with escaping by default: interpolated values and `escaped` text are escaped; only literals
/// in the source are markup.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
    package private(set) var text: String

    package init() { text = "" }

    package init(stringLiteral value: String) { text = value }

    @inline(never) package init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    /// Markup that this program has made from values that need no escapes.
    package init(trusted markup: String) { text = markup }

    package init(joining parts: [HTML], separator: HTML = "") {
        text = parts.map(\.text).joined(separator: separator.text)
    }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        // This is not inlined: there are many pieces of markup, and each would need several times
        // the code of a call.
        @inline(never)
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        @inline(never) package mutating func appendLiteral(_ literal: String) { text += literal }

        @inline(never)
        package mutating func appendInterpolation(_ value: String) {
            text += HTML.escape(value)
        }

        @inline(never)
        package mutating func appendInterpolation(_ html: HTML) { text += html.text }
    }

    @inline(never) package mutating func append(_ html: HTML) { text += html.text }

    package mutating func markup(_ markup: StaticString) { text += markup.description }

    package mutating func escaped(_ content: String) { text += Self.escape(content) }

    /// An element with text only.
    package mutating func element(
        _ open: StaticString, _ content: String, _ close: StaticString
    ) {
        markup(open)
        escaped(content)
        markup(close)
    }

    /// Escapes for text and for quoted attributes.
    private static func escape(_ value: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
