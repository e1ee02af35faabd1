internal import Bytes
internal import EmulatorBase

/// Encoded words in headers, `=?utf-8?B?…?=` (RFC 2047).
enum EncodedWords {
    /// Words that cannot be decoded are left as they are.
    static func decode(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.firstRange(of: Array("=?".utf8)) != nil else { return text }
        var decoded = ""
        /// The bytes since the last encoded word.
        var plain: [UInt8] = []
        /// Adjacent words with the same charset; a character may be split between two of them.
        var run: (charset: Charset, bytes: [UInt8])?
        func flushRun() {
            if let run { decoded += run.charset.decode(run.bytes) }
            run = nil
        }
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "="), let word = Word(bytes, at) else {
                plain.append(bytes[at])
                at += 1
                continue
            }
            at = word.end
            // White space between two encoded words is not part of the text.
            let isAdjacent = run != nil && plain.allSatisfy(\.isSpace)
            if isAdjacent, run?.charset == word.charset {
                run?.bytes += word.content
            } else {
                flushRun()
                if !isAdjacent { decoded += String(decoding: plain, as: UTF8.self) }
                run = (word.charset, word.content)
            }
            plain = []
        }
        flushRun()
        return decoded + String(decoding: plain, as: UTF8.self)
    }

    private struct Word {
        let charset: Charset
        let content: [UInt8]
        let end: Int

        private static let bytesMax = 1000

        init?(_ bytes: [UInt8], _ start: Int) {
            let question = UInt8(ascii: "?")
            let limit = min(bytes.count, start + Self.bytesMax)
            guard start + 1 < limit, bytes[start + 1] == question,
                let first = bytes[(start + 2)..<limit].firstIndex(of: question),
                let second = bytes[(first + 1)..<limit].firstIndex(of: question),
                let third = bytes[(second + 1)..<limit].firstIndex(of: question),
                third + 1 < limit, bytes[third + 1] == UInt8(ascii: "="), second == first + 2
            else { return nil }
            // RFC 2231 allows a language after the charset.
            let name = bytes[(start + 2)..<first].prefix { $0 != UInt8(ascii: "*") }
            guard !name.isEmpty,
                let charset = Charset(String(decoding: name, as: UTF8.self))
            else { return nil }
            self.charset = charset
            let text = bytes[(second + 1)..<third]
            switch bytes[first + 1].lowercased {
            case UInt8(ascii: "b"): content = TransferEncoding.decodeBase64(text)
            case UInt8(ascii: "q"):
                let spaced = text.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }
                // The added full stop keeps trailing spaces, which the decoder would remove.
                content = TransferEncoding.decodeQuotedPrintable((spaced + [0x2E])[...]).dropLast()
            default: return nil
            }
            end = third + 2
        }
    }

    /// Encodes a header value: ASCII is left as it is, other text becomes words of at most 75
    /// bytes.
    static func encode(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 && !$0.isControl }
        guard !isPlain || text.utf8.contains(UInt8(ascii: "=")) && text.contains("=?") else {
            return text
        }
        var words: [String] = []
        var piece: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // 45 bytes are 60 characters of base64.
            if piece.count + bytes.count > 45 {
                words.append("=?UTF-8?B?\(Base64.encode(piece))?=")
                piece = []
            }
            piece += bytes
        }
        words.append("=?UTF-8?B?\(Base64.encode(piece))?=")
        return words.joined(separator: "\r\n ")
    }
}
