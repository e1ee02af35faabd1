/// Percent-encoding of everything but the unreserved characters of RFC 3986 section 2.3.
public enum FormEncoding {
    /// `name=value&…`, as of RFC 6749 appendix B, with `%20` for a space.
    public static func text(_ fields: [(key: String, value: String)]) -> String {
        fields.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
    }

    /// One name or value.
    public static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }
}
