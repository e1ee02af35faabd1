internal import Bytes
internal import EmulatorBase

/// Extracts from a message what tests need: links and codes.
package struct MailContents: Sendable {
    private static let foundMax = 100
    private static let textBytesMax = 2 << 20

    package let links: [String]
    package let codes: [String]
    /// Each with the line that contains it.
    private let codesInContext: [(code: String, line: String)]

    package init(_ message: MIMEMessage) {
        let text = String(
            decoding: Array((message.text ?? "").utf8.prefix(Self.textBytesMax)), as: UTF8.self)
        let htmlText = message.html.map { HTMLText.plain($0) } ?? ""
        let references = message.html.map { HTMLText.references($0) } ?? []
        links = Self.unique(
            Self.links(in: text) + references.filter(Self.isLink) + Self.links(in: htmlText))
        let subject = message.header("subject") ?? ""
        // The body comes first, because a number in a subject is often something else, such as an
        // order number.
        codesInContext =
            [text, htmlText, subject].flatMap { Self.codes(in: $0) }
        codes = Self.unique(codesInContext.map(\.code))
    }

    /// The first link, or the first one that contains `part`.
    package func link(containing part: String? = nil) -> String? {
        links.first { link in part.map { link.containsIgnoringCase($0) } ?? true }
    }

    /// The first code, or the first one with `part` in its line.
    package func code(besides part: String? = nil) -> String? {
        codesInContext.first { found in
            part.map { found.line.containsIgnoringCase($0) } ?? true
        }?.code
    }

    private static func unique(_ texts: [String]) -> [String] {
        var found: [String] = []
        for text in texts where found.count < foundMax {
            if !found.contains(where: text.isSame(as:)) { found.append(text) }
        }
        return found
    }

    private static func isLink(_ reference: String) -> Bool {
        linkStart(Array(reference.utf8), from: 0)?.lowerBound == 0
    }

    /// Everything with `scheme://`, including the custom schemes of apps.
    private static func links(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var links: [String] = []
        var at = 0
        while links.count < foundMax, let range = linkRange(bytes, from: at) {
            links.append(String(decoding: bytes[range], as: UTF8.self))
            at = range.upperBound
        }
        return links
    }

    /// The position of a scheme with its `://`.
    private static func linkStart(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
        var at = start
        while let mark = bytes.firstRange(of: Array("://".utf8), from: at) {
            var head = mark.lowerBound
            while head > start, isSchemeByte(bytes[head - 1]) { head -= 1 }
            while head < mark.lowerBound, !bytes[head].isLetter { head += 1 }
            if head < mark.lowerBound { return head..<mark.upperBound }
            at = mark.upperBound
        }
        return nil
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || [0x2B, 0x2D, 0x2E].contains(byte)
    }

    private static func linkRange(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
        guard let head = linkStart(bytes, from: start) else { return nil }
        let ends = Array("<>\"`{}|\\^".utf8)
        var end = head.upperBound
        var open = 0
        while end < bytes.count, bytes[end] > 0x20, bytes[end] != 0x7F, !ends.contains(bytes[end]) {
            if bytes[end] == UInt8(ascii: "(") { open += 1 }
            if bytes[end] == UInt8(ascii: ")") {
                // A closing bracket that was opened before the link ends it.
                guard open > 0 else { break }
                open -= 1
            }
            end += 1
        }
        // Punctuation at the end belongs to the sentence, not to the link.
        let stops = Array(".,;:!?'*]".utf8)
        while end > head.upperBound, stops.contains(bytes[end - 1]) { end -= 1 }
        return head.lowerBound..<end
    }

    /// Four to eight digits that are not part of a link, a date, an amount or a phone number.
    private static func codes(in text: String) -> [(code: String, line: String)] {
        var codes: [(code: String, line: String)] = []
        for line in text.utf8.split(separator: 0x0A) where codes.count < foundMax {
            var bytes = Array(line)
            let context = String(decoding: bytes, as: UTF8.self)
            var at = 0
            while let link = linkRange(bytes, from: at) {
                for index in link { bytes[index] = UInt8(ascii: "x") }
                at = link.upperBound
            }
            var start = 0
            while start < bytes.count {
                guard bytes[start].isDigit else {
                    start += 1
                    continue
                }
                let run = bytes[start...].prefix { $0.isDigit }
                if isCode(bytes, run.indices) {
                    codes.append((String(decoding: run, as: UTF8.self), context))
                }
                start = run.endIndex
            }
        }
        return codes
    }

    private static func isCode(_ bytes: [UInt8], _ run: Range<Int>) -> Bool {
        guard (4...8).contains(run.count) else { return false }
        func byte(_ at: Int) -> UInt8 { bytes.indices.contains(at) ? bytes[at] : 0x20 }
        func isWord(_ byte: UInt8) -> Bool { byte.isLetter || byte == 0x5F }
        let joints = Array(".,:/-+".utf8)
        let before = byte(run.lowerBound - 1)
        let after = byte(run.upperBound)
        guard !isWord(before), !isWord(after), before != UInt8(ascii: "$") else { return false }
        let isJoinedBefore =
            joints.contains(before)
            && (byte(run.lowerBound - 2).isDigit || before == UInt8(ascii: "+"))
        return !isJoinedBefore && !(joints.contains(after) && byte(run.upperBound + 1).isDigit)
    }
}
