internal import Bytes
internal import EmulatorBase

/// A parsed message: headers, text, attachments. Parsing is lenient and never fails.
package struct MIMEMessage: Sendable {
    package let headers: [MIMEHeader]
    package let text: String?
    package let html: String?
    package let attachments: [MIMEAttachment]
    /// Problems found while parsing, as sentences.
    package let notes: [String]

    package init(_ bytes: [UInt8]) {
        var reader = MIMEReader()
        headers = reader.read(message: bytes[...])
        text = reader.text
        html = reader.html
        attachments = reader.attachments
        notes = reader.notes
    }

    /// The first header of that name, decoded.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringCase(name) }?.text
    }

    /// The addresses in all headers of that name; an invalid header is returned as one text.
    package func addresses(_ name: String) -> [MailAddress] {
        headers.filter { $0.name.equalsIgnoringCase(name) }.flatMap { header in
            do throws(AddressFailure) {
                return try MailAddress.list(parsing: header.value)
            } catch {
                return [MailAddress(name: nil, address: header.text)]
            }
        }
    }
}

package struct MIMEAttachment: Sendable {
    package let name: String?
    /// The media type in lower case, such as `image/png`.
    package let type: String
    /// The ID with which HTML refers to the part, without angle brackets.
    package let contentID: String?
    package let bytes: [UInt8]
}

/// Parses the parts of a message.
private struct MIMEReader {
    private static let depthMax = 10
    private static let partsMax = 200
    private static let boundaryBytesMax = 256
    private static let notesMax = 20

    var text: String?
    var html: String?
    var attachments: [MIMEAttachment] = []
    var notes: [String] = []
    private var parts = 0

    mutating func read(message bytes: ArraySlice<UInt8>) -> [MIMEHeader] {
        var body = bytes
        let block = HeaderBlock(bytes, body: &body)
        if block.isCut { note("There are more headers than are shown.") }
        read(body, block, depth: 0, in: "")
        return block.headers
    }

    private mutating func note(_ text: String) {
        if notes.count < Self.notesMax { notes.append(text) }
    }

    private mutating func read(
        _ body: ArraySlice<UInt8>, _ headers: HeaderBlock, depth: Int, in parent: String
    ) {
        let usual = parent == "multipart/digest" ? "message/rfc822" : "text/plain"
        let type = ParameterizedValue(headers["content-type"] ?? usual)
        if type.value.hasPrefix("multipart/") {
            if depth >= Self.depthMax {
                note("Parts are nested deeper than \(Self.depthMax); the rest is one file.")
            } else if let boundary = type["boundary"], !boundary.isEmpty,
                boundary.utf8.count <= Self.boundaryBytesMax
            {
                return readParts(body, Array("--\(boundary)".utf8), depth: depth, in: type.value)
            } else {
                note("A multipart body has no boundary; it is shown as a file.")
            }
        }
        readLeaf(body, headers, type)
    }

    private mutating func readParts(
        _ body: ArraySlice<UInt8>, _ delimiter: [UInt8], depth: Int, in parent: String
    ) {
        var rest = body
        var start: Int?
        while !rest.isEmpty {
            let lineStart = rest.startIndex
            let line = rest.removeLine()
            guard line.starts(with: delimiter) else { continue }
            let tail = line.dropFirst(delimiter.count).trimmed
            let isLast = tail.elementsEqual("--".utf8)
            guard tail.isEmpty || isLast else { continue }
            if let start { readPart(body[start..<lineStart], depth: depth, in: parent) }
            if isLast { return }
            start = rest.startIndex
        }
        // The closing delimiter is missing.
        if let start { readPart(body[start...], depth: depth, in: parent) }
    }

    private mutating func readPart(_ part: ArraySlice<UInt8>, depth: Int, in parent: String) {
        parts += 1
        guard parts <= Self.partsMax else {
            if parts == Self.partsMax + 1 { note("Only \(Self.partsMax) parts are shown.") }
            return
        }
        var part = part
        // The line end before a delimiter belongs to the delimiter.
        if part.last == 0x0A { part = part.dropLast() }
        if part.last == 0x0D { part = part.dropLast() }
        var body = part
        let headers = HeaderBlock(part, body: &body)
        read(body, headers, depth: depth + 1, in: parent)
    }

    private mutating func readLeaf(
        _ body: ArraySlice<UInt8>, _ headers: HeaderBlock, _ type: ParameterizedValue
    ) {
        let disposition = headers["content-disposition"].map { ParameterizedValue($0) }
        let name = disposition?["filename"] ?? type["name"]
        let content = TransferEncoding(headers["content-transfer-encoding"]).decode(body)
        let isShown = disposition?.value != "attachment" && name == nil
        if isShown, type.value == "text/plain" {
            text = joined(text, decoded(content, type))
        } else if isShown, type.value == "text/html" {
            html = joined(html, decoded(content, type))
        } else {
            let id = headers["content-id"]?.trimmed
            attachments.append(
                MIMEAttachment(
                    name: name, type: type.value,
                    contentID: id.map { String($0.drop { $0 == "<" }.prefix { $0 != ">" }) },
                    bytes: content))
        }
    }

    private static func withoutReturns(_ content: [UInt8]) -> [UInt8] {
        guard content.contains(0x0D) else { return content }
        var kept: [UInt8] = []
        kept.reserveCapacity(content.count)
        for (index, byte) in content.enumerated() {
            let isLineEnd =
                byte == 0x0D && index + 1 < content.count && content[index + 1] == 0x0A
            if !isLineEnd { kept.append(byte) }
        }
        return kept
    }

    private func joined(_ before: String?, _ next: String) -> String {
        before.map { $0 + "\n" + next } ?? next
    }

    /// Decodes a text part, with LF as line end.
    private mutating func decoded(_ content: [UInt8], _ type: ParameterizedValue) -> String {
        let content = Self.withoutReturns(content)
        guard let name = type["charset"] else { return Charset.guess(content) }
        guard let charset = Charset(name) else {
            note("The charset \(name.prefix(40)) is not read; the text is shown byte by byte.")
            return Charset.guess(content)
        }
        return charset.decode(content)
    }
}
