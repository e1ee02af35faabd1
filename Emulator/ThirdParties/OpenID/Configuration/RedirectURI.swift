internal import Bytes

/// Validates redirect URIs: absolute (RFC 3986 section 4.3) and without a fragment.
enum RedirectURI {
    /// Apps have their own schemes, but schemes that run scripts are refused.
    static func isAcceptable(_ text: String) -> Bool {
        guard text.utf8.count <= ClientDefinition.uriBytesMax, text.utf8.allSatisfy(isAllowed),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let first = text.utf8.first, first.isLetter
        else { return false }
        let scheme = text.utf8[..<colon].map { $0 | 0x20 }
        let isScheme = text.utf8[..<colon].allSatisfy {
            $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        let rest = text.utf8[text.utf8.index(after: colon)...]
        guard isScheme, !rest.isEmpty, !scripts.contains(where: { scheme.elementsEqual($0.utf8) })
        else { return false }
        return !isWeb(scheme) || isHTTP(text)
    }

    /// Whether the text is an HTTP URL with a host and without user information.
    static func isHTTP(_ text: String) -> Bool {
        let prefix = ["https://", "http://"].first { text.utf8.starts(with: $0.utf8) }
        guard let prefix, text.utf8.count <= ClientDefinition.uriBytesMax,
            text.utf8.allSatisfy(isAllowed)
        else { return false }
        let authority = text.utf8.dropFirst(prefix.utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
        }
        return !authority.isEmpty && !authority.contains(UInt8(ascii: "@"))
    }

    private static let scripts = ["javascript", "data", "vbscript", "file", "about", "blob"]

    private static func isWeb(_ scheme: [UInt8]) -> Bool {
        scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }
}
