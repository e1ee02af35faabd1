internal import Bytes

/// Text for people in a header: as it is where it may be, otherwise as encoded words (RFC 2047).
enum HeaderText {
    /// Of one encoded word, RFC 2047 section 2.
    private static let wordBytesMax = 75
    /// A shorter line is not folded; RFC 5322 section 2.1.1 asks for at most 78.
    private static let lineBytesMax = 76
    private static let prefix = "=?UTF-8?B?"
    private static let suffix = "?="

    /// An unstructured value.
    /// - Parameter column: where on its line it begins.
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

    /// A word of its own for every part, split between characters and never inside one: each must
    /// be readable alone (RFC 2047 section 5).
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
            // A character can be longer than a word: then it is split between its scalars.
            for scalar in character.unicodeScalars {
                let encoded = Array(String(scalar).utf8)
                if part.count + encoded.count > room { finish() }
                part += encoded
            }
        }
        finish()
        return words.joined(separator: "\r\n ")
    }

    /// How many bytes fit into an encoded word on a line with so much space.
    private static func bytes(in width: Int) -> Int {
        let space = min(width, wordBytesMax) - prefix.utf8.count - suffix.utf8.count
        return max(4, space / 4 * 3)
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    /// A line end would be the start of another header.
    private static func cleaned(_ text: String) -> String { PlainText.line(text) }
}
