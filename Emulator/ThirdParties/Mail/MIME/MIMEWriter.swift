internal import Bytes
internal import EmulatorBase

/// Composes a message from its parts, as SES does.
struct MIMEWriter {
    struct File {
        let name: String
        let type: String
        let isInline: Bool
        let contentID: String?
        let description: String?
        let bytes: [UInt8]
    }

    /// A unique part of the boundaries, so that they do not occur in the text.
    let boundaryKey: String
    private(set) var bytes: [UInt8] = []

    init(boundaryKey: String) { self.boundaryKey = boundaryKey }

    mutating func header(_ name: String, _ value: String) { line("\(name): \(value)") }

    mutating func header(_ name: String, text: String) {
        header(name, EncodedWords.encode(text))
    }

    mutating func header(_ name: String, _ addresses: [MailAddress]) {
        guard !addresses.isEmpty else { return }
        let texts = addresses.map { address -> String in
            guard let display = address.name, !display.isEmpty else { return address.address }
            return "\(Self.phrase(display)) <\(address.address)>"
        }
        header(name, texts.joined(separator: ",\r\n "))
    }

    private static func phrase(_ name: String) -> String {
        let encoded = EncodedWords.encode(name)
        guard encoded.isSame(as: name) else { return encoded }
        let isAtoms = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x20 || $0 == 0x2D }
        if isAtoms { return name }
        let escaped = name.utf8.flatMap { byte -> [UInt8] in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\"\(String(decoding: escaped, as: UTF8.self))\""
    }

    /// Writes the body. Without text and HTML the text is empty.
    mutating func body(text: String?, html: String?, files: [File]) {
        header("MIME-Version", "1.0")
        guard !files.isEmpty || text != nil && html != nil else {
            // A single text part without multipart.
            return leaf(html == nil ? "plain" : "html", html ?? text ?? "")
        }
        guard !files.isEmpty else { return alternatives(text, html) }
        multipart("mixed") { writer, boundary in
            writer.line("--\(boundary)")
            writer.alternatives(text, html)
            if text == nil || html == nil { writer.line("") }
            for file in files {
                writer.line("--\(boundary)")
                writer.part(file)
            }
        }
    }

    private mutating func alternatives(_ text: String?, _ html: String?) {
        guard let text, let html else {
            return html.map { leaf("html", $0) } ?? leaf("plain", text ?? "")
        }
        multipart("alternative") { writer, boundary in
            writer.line("--\(boundary)")
            writer.leaf("plain", text)
            writer.line("")
            writer.line("--\(boundary)")
            writer.leaf("html", html)
            writer.line("")
        }
    }

    private mutating func multipart(
        _ subtype: String, _ body: (inout MIMEWriter, _ boundary: String) -> Void
    ) {
        let boundary = "----=_\(subtype)_\(boundaryKey)"
        header("Content-Type", "multipart/\(subtype);\r\n boundary=\"\(boundary)\"")
        line("")
        body(&self, boundary)
        line("--\(boundary)--")
    }

    private mutating func leaf(_ subtype: String, _ text: String) {
        header("Content-Type", "text/\(subtype); charset=UTF-8")
        header("Content-Transfer-Encoding", "quoted-printable")
        line("")
        bytes += Self.quotedPrintable(text)
    }

    private mutating func part(_ file: File) {
        let name = Self.quoted(file.name)
        header("Content-Type", "\(file.type);\r\n name=\(name)")
        header("Content-Transfer-Encoding", "base64")
        let kind = file.isInline ? "inline" : "attachment"
        header("Content-Disposition", "\(kind);\r\n filename=\(name)")
        if let id = file.contentID { header("Content-ID", "<\(id)>") }
        if let description = file.description { header("Content-Description", text: description) }
        line("")
        let encoded = Array(Base64.encode(file.bytes).utf8)
        for start in stride(from: 0, to: encoded.count, by: 76) {
            bytes += encoded[start..<min(start + 76, encoded.count)]
            line("")
        }
    }

    private static func quoted(_ text: String) -> String {
        let encoded = EncodedWords.encode(text)
        return "\"\(String(encoded.filter { $0 != "\"" && $0 != "\\" }))\""
    }

    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += [0x0D, 0x0A]
    }

    /// Lines of at most 76 characters; any line end becomes CRLF.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        let input = Array(text.utf8)
        var output: [UInt8] = []
        var width = 0
        for (index, byte) in input.enumerated() {
            let next = index + 1 < input.count ? input[index + 1] : 0x0A
            if byte == 0x0D && next == 0x0A && index + 1 < input.count { continue }
            if byte == 0x0A || byte == 0x0D {
                output += [0x0D, 0x0A]
                width = 0
                continue
            }
            let isAtEnd = next == 0x0A || next == 0x0D
            let isPlain =
                (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
                || byte.isBlank && !isAtEnd
            // A dot alone on a line ends the message in SMTP, and `From ` begins one in mbox files.
            let isStart = width == 0 && (byte == 0x2E || byte == UInt8(ascii: "F"))
            let piece =
                isPlain && !isStart
                ? [byte] : [0x3D, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if width + piece.count > 75 {
                output += [0x3D, 0x0D, 0x0A]
                width = 0
            }
            output += piece
            width += piece.count
        }
        return output
    }
}
