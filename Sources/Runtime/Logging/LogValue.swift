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

    /// The link of a message that is written to a folder and not sent. Any reader of the log can use
    /// it, so it is only for a server without a mail system (`MAIL=folder:PATH`).
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
