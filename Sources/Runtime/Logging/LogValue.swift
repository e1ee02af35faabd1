internal import Bytes
package import Time

/// A value that is safe to log. It cannot be made from a string by accident: every constructor
/// states what the text is.
package struct LogValue: Sendable {
    enum Content: Sendable {
        case integer(Int64)
        case flag(Bool)
        case text(String)
        case integers([Int64])
    }

    let content: Content

    private static let identifierCharactersMax = 64
    private static let detailCharactersMax = 240
    private static let problemCharactersMax = 2000
    private static let segmentBytesMax = 40
    private static let pathBytesMax = 200

    package static func count(_ value: Int) -> LogValue {
        LogValue(content: .integer(Int64(value)))
    }

    package static func counts(_ values: [Int]) -> LogValue {
        LogValue(content: .integers(values.map { Int64($0) }))
    }

    package static func milliseconds(_ span: Span) -> LogValue {
        LogValue(content: .integer(span.milliseconds))
    }

    package static func flag(_ value: Bool) -> LogValue { LogValue(content: .flag(value)) }

    package static func word(_ value: StaticString) -> LogValue {
        LogValue(content: .text(value.description))
    }

    /// A case of a closed enum. `CaseIterable` excludes types that wrap any string.
    package static func code<Code>(_ value: Code) -> LogValue
    where Code: RawRepresentable & CaseIterable, Code.RawValue == String {
        LogValue(content: .text(value.rawValue))
    }

    /// The ID of a session, a user or a key, never a token or personal data. Text that does not
    /// look like an ID (an e-mail address, a JWT) is not written.
    package static func identifier(_ text: String) -> LogValue {
        let isFine =
            text.utf8.count <= identifierCharactersMax && text.utf8.allSatisfy(isIdentifier)
        return LogValue(content: .text(isFine ? text : "<not an identifier>"))
    }

    /// An error description from our own code or a library, such as `HTTPFailure`'s detail or a
    /// configuration error; never client input.
    package static func failureDetail(_ text: String) -> LogValue {
        let printable = text.utf8.filter { (0x20..<0x7F).contains($0) }.prefix(detailCharactersMax)
        return LogValue(content: .text(String(decoding: printable, as: UTF8.self)))
    }

    /// The reason why a program does not start, with the names of settings.
    package static func startProblem(_ text: String) -> LogValue {
        let printable = text.utf8.filter { $0 >= 0x20 && $0 != 0x7F }
        return LogValue(
            content: .text(
                String(decoding: printable.prefix(problemCharactersMax), as: UTF8.self)))
    }

    /// The method of a request, from the client: a word of letters.
    package static func method(_ text: String) -> LogValue {
        let isWord = (1...16).contains(text.utf8.count) && text.utf8.allSatisfy(\.isLetter)
        return LogValue(content: .text(isWord ? text : "<not a method>"))
    }

    /// The path of a request, from the client, without its query. Segments that may be tokens or
    /// addresses are left out, as well as bytes that a log viewer could misinterpret.
    package static func path(_ text: String) -> LogValue {
        var path: [UInt8] = []
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index > 0 { path.append(UInt8(ascii: "/")) }
            if part.count > segmentBytesMax || part.contains(UInt8(ascii: "@")) {
                path += "<\(part.count) bytes>".utf8
            } else {
                path += part.map { isPathByte($0) ? $0 : UInt8(ascii: "?") }
            }
            if path.count > pathBytesMax { break }
        }
        return LogValue(content: .text(String(decoding: path.prefix(pathBytesMax), as: UTF8.self)))
    }

    /// A value from the client that an operator may want to allow: an origin or the address of an
    /// app, without its query.
    package static func address(_ text: String) -> LogValue {
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            .map {
                isPathByte($0) || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") ? $0 : 0x3F
            }
        return LogValue(content: .text(String(decoding: bytes.prefix(pathBytesMax), as: UTF8.self)))
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._~:/%+,;{}".utf8.contains(byte)
    }

    /// The link of a message that is written to a folder and not sent. Any reader of the log can
    /// use it, so it is only for a server without a mail system (`MAIL_URL=folder:PATH`).
    package static func linkOfUndeliveredMail(_ link: String) -> LogValue {
        LogValue(
            content: .text(
                String(decoding: link.utf8.filter { (0x21..<0x7F).contains($0) }, as: UTF8.self)))
    }

    static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/=_.:-".utf8.contains(byte)
        }
    }
}
