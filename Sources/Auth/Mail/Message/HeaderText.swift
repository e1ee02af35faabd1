internal import Bytes

/// Human-readable text in a header: unencoded if possible, otherwise as encoded words (RFC 2047).
enum HeaderText {
    /// The maximum length of an encoded word (RFC 2047 section 2).
    private static let wordBytesMax = 75
    /// Longer lines are folded; RFC 5322 section 2.1.1 recommends at most 78 characters.
    private static let lineBytesMax = 76
    private static let prefix = "=?UTF-8?B?"
    private static let suffix = "?="

    /// An unstructured value.
    /// - Parameter column: the column where the value begins.
    static func unstructured(_ text: String, column: Int) -> String {
        let text = cleaned(text)
        let isPlain =
            isASCII(text) && !text.utf8.contains(text: "=?")
            && column + text.utf8.count <= lineBytesMax
        return isPlain ? text : encodedWords(text, column: column)
    }

    /// A display name, RFC 5322 section 3.4.
    static func phrase(_ text: String, column: Int) -> String {
        let text = cleaned(text)
        guard isASCII(text), !text.utf8.contains(text: "=?"),
            column + text.utf8.count + 2 <= lineBytesMax
        else { return encodedWords(text, column: column) }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Splits the text into encoded words at character boundaries, because each word must be
    /// decodable by itself (RFC 2047 section 5).
    private static func encodedWords(_ text: String, column: Int) -> String {
        var words: [String] = []
        var part: [UInt8] = []
        var room = bytes(in: lineBytesMax - column)
        func finish() {
            guard !part.isEmpty else { return }
            words.append(prefix + Base64.encode(part) + suffix)
            part = []
            room = bytes(in: lineBytesMax - 1)
        }
        for character in text {
            if part.count + character.utf8.count > room { finish() }
            // A character that is longer than a word is split between its scalars.
            for scalar in character.unicodeScalars {
                let encoded = Array(String(scalar).utf8)
                if part.count + encoded.count > room { finish() }
                part += encoded
            }
        }
        finish()
        return words.joined(separator: "\r\n ")
    }

    /// The number of bytes that fit into an encoded word of the given width.
    private static func bytes(in width: Int) -> Int {
        let space = min(width, wordBytesMax) - prefix.utf8.count - suffix.utf8.count
        return max(4, space / 4 * 3)
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// Removes line breaks, after which another header could be injected.
    private static func cleaned(_ text: String) -> String { PlainText.line(text) }
}
