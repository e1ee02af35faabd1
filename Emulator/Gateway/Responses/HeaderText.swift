internal import EmulatorText
internal import JSON

/// Validates response headers. A line break from a function would inject a header.
enum HeaderText {
    /// A token (RFC 9110 section 5.6.2).
    static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// Whether it is a framing header, which only the server sets.
    static func isFraming(_ name: String) -> Bool {
        ForwardedHeaders.isHopByHop(name) || name.equalsIgnoringCase("content-length")
    }
}
