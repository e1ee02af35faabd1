internal import EmulatorServer
internal import HTTP

/// HTML of which every value is escaped: text goes in by interpolation, and only HTML that was
/// made here goes in as it is.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    let text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    init(joining parts: [HTML]) { text = parts.map(\.text).joined() }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity * 2)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
    }

    /// For text and for attributes in quotes.
    private static func escaped(_ value: String) -> String {
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

extension ServerResponse {
    /// A page that loads nothing, is in nobody's frame, and runs at most the one script that was
    /// written here.
    static func page(
        _ html: HTML, status: Int = 200, scriptNonce: String? = nil
    ) -> ServerResponse {
        let script = scriptNonce.map { "; script-src 'nonce-\($0)'" } ?? ""
        return ServerResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "text/html; charset=utf-8"),
                HTTPHeader("Cache-Control", "no-store"),
                HTTPHeader(
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                        + "frame-ancestors 'none'\(script)"),
                HTTPHeader("Referrer-Policy", "no-referrer"),
                HTTPHeader("X-Content-Type-Options", "nosniff"),
            ], body: Array(html.text.utf8))
    }
}
