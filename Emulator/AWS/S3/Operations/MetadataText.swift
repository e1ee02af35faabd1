internal import Bytes

/// The value of an `x-amz-meta-…` header. Text outside ASCII is stored and returned as an encoded
/// word (RFC 2047), even if it was not sent as an encoded word (Amazon S3 User Guide, "Working with
/// object metadata").
enum MetadataText {
    static func normalized(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 >= 0x80 }) || value.hasPrefix("=?") else {
            return value
        }
        let text = decoded(value) ?? value
        return text.utf8.allSatisfy { $0 < 0x80 && $0 >= 0x20 } ? text : encoded(text)
    }

    /// The text of one encoded word of UTF-8; nil for anything else.
    private static func decoded(_ value: String) -> String? {
        let fields = value.split(separator: "?", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == "=", fields[4] == "=",
            fields[1].lowercased() == "utf-8"
        else { return nil }
        switch fields[2].lowercased() {
        case "b":
            return Base64.decode(String(fields[3])).map { String(decoding: $0, as: UTF8.self) }
        case "q": return quoted(fields[3].utf8)
        default: return nil
        }
    }

    private static func quoted(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(0x20)
            case UInt8(ascii: "="):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard let decoded = Hex.decode(digits), decoded.count == 1 else { return nil }
                bytes += decoded
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes a text with "Q", or with "B" if there are characters that cannot be shown.
    private static func encoded(_ text: String) -> String {
        let isShown = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && scalar != "\u{FFFD}"
        }
        guard isShown else { return "=?UTF-8?B?\(Base64.encode(Array(text.utf8)))?=" }
        let quoted = text.utf8.map { byte in
            switch byte {
            case 0x20: "_"
            case 0x21...0x7E where !"=?_".utf8.contains(byte):
                String(decoding: [byte], as: UTF8.self)
            default: "=\(Hex.encode([byte]).uppercased())"
            }
        }
        return "=?UTF-8?Q?\(quoted.joined())?="
    }
}
