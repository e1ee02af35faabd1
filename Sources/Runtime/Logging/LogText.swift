internal import Bytes
internal import JSON

/// A log line for people: `2026-11-29T10:52:00.123Z info refused status=404 path=/nope`.
enum LogText {
    /// The members whose names are not shown.
    private static let bare = ["time", "level", "event"]

    static func line(_ members: JSONObject) -> [UInt8] {
        var line: [UInt8] = []
        for (name, value) in members.members {
            if !line.isEmpty { line.append(UInt8(ascii: " ")) }
            if !bare.contains(where: name.isSame(as:)) {
                line += name.utf8
                line.append(UInt8(ascii: "="))
            }
            // A text with a space is quoted, as in JSON.
            if let text = value.stringValue, !text.isEmpty, text.utf8.allSatisfy(isPlain) {
                line += text.utf8
            } else {
                line += value.serialized
            }
        }
        return line
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
    }
}
