internal import Bytes
internal import EmulatorBase

/// The supported character sets.
enum Charset: Sendable {
    case utf8, latin1, windows1252

    /// nil if it is not supported.
    init?(_ name: String) {
        switch name.asciiLowercased {
        case "utf-8", "utf8", "us-ascii", "ascii", "": self = .utf8
        case "iso-8859-1", "iso8859-1", "latin1": self = .latin1
        case "windows-1252", "cp1252": self = .windows1252
        default: return nil
        }
    }

    /// Invalid bytes become U+FFFD.
    func decode(_ bytes: some Sequence<UInt8>) -> String {
        switch self {
        case .utf8: return String(decoding: Array(bytes), as: UTF8.self)
        case .latin1:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .windows1252:
            return String(
                String.UnicodeScalarView(
                    bytes.map { byte in
                        guard byte &- 0x80 < 0x20 else { return Unicode.Scalar(byte) }
                        return Unicode.Scalar(Self.upper[Int(byte - 0x80)]) ?? "\u{FFFD}"
                    }))
        }
    }

    /// Text without a charset: UTF-8 if valid, else windows-1252.
    static func guess(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        return String(validating: bytes, as: UTF8.self) ?? Charset.latin1.decode(bytes)
    }

    /// 0x80…0x9F in windows-1252.
    private static let upper: [UInt32] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}
