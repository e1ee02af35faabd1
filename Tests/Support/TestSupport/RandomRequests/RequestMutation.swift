/// Mutates valid requests.
enum RequestMutation {
    /// Inputs that are known to break parsers.
    private static let pieces: [String] = [
        "\0", "\r\n", "\n", "\r", "\t", " ", ":", ";", ",", "\"", "\\", "/", "//", "/../", "%",
        "%00",
        "%zz", "%2e%2e%2f", "?", "#", "&", "=", "+", "*", "-1", "0", "00", "0x10", "+3", "1e999",
        "-0", "9223372036854775808", "18446744073709551616", "99999999999999999999999999",
        "0.1234567890123456789012345678901234567890", "NaN", "{", "}", "[", "]", "{}", "[]", "null",
        "true", "{\"a\":1,\"a\":2}", "\\u0000", "\\ud800", "\\u", "\u{FEFF}", "\u{202E}", "é",
        "e\u{301}", "\u{212A}", "😀", "<", ">", "<a>", "</a>", "<!--", "<![CDATA[", "<!DOCTYPE a>",
        "<!ENTITY a \"b\">", "&a;", "&#0;", "&#x110000;", "<?xml version=\"1.0\"?>", "..", "$", "`",
        "'", "--", "HTTP/1.1", "HTTP/2.0", "HTTP/0.9", "Transfer-Encoding", "chunked", "gzip",
        "Content-Length", "Expect: 100-continue", "Connection: close", "Connection: Upgrade",
        "Upgrade: h2c", "Host", "Host: b", "Range: bytes=-1", "Content-Encoding: gzip",
        "\u{7F}", "\u{80}", "aws-chunked",
        "X-Amz-Content-Sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
    ]

    private static func piece(_ choice: inout RandomChoice) -> [UInt8] {
        switch choice.index(12) {
        case 0: return [UInt8](repeating: choice.one(of: [0x5B, 0x7B, 0x28, 0x61]), count: 5000)
        case 1: return (0..<choice.index(40)).map { _ in UInt8(choice.index(256)) }
        case 2: return Array(String(repeating: "<a>", count: 1000).utf8)
        case 3: return Array(String(repeating: "X: y\r\n", count: choice.index(300)).utf8)
        default: return Array(choice.one(of: pieces).utf8)
        }
    }

    /// Mutates a few positions of some bytes.
    static func bend(_ bytes: inout [UInt8], _ choice: inout RandomChoice, times: Int) {
        for _ in 0..<times {
            switch choice.index(7) {
            case 0: bytes.removeSubrange(choice.range(in: bytes.count, lengthMax: 30))
            case 1:
                let part = Array(bytes[choice.range(in: bytes.count, lengthMax: 60)])
                bytes.insert(contentsOf: part, at: choice.index(bytes.count + 1))
            case 2 where !bytes.isEmpty:
                bytes[choice.index(bytes.count)] ^= 1 << UInt8(choice.index(8))
            case 3 where choice.isOne(in: 3): bytes.removeLast(choice.index(bytes.count + 1))
            case 4:
                bytes.replaceSubrange(
                    choice.range(in: bytes.count, lengthMax: 10), with: piece(&choice))
            default: bytes.insert(contentsOf: piece(&choice), at: choice.index(bytes.count + 1))
            }
        }
    }

    /// Mutates the parts of a request, each according to its syntax.
    static func bend(_ request: inout WireRequest, _ choice: inout RandomChoice) {
        switch choice.index(6) {
        case 0: request.method = bent(request.method, &choice)
        case 1: request.target = bent(request.target, &choice)
        case 2: request.version = bent(request.version, &choice)
        case 3:
            let at = choice.index(request.headers.count)
            request.headers[at].value = bent(request.headers[at].value, &choice)
        case 4:
            let at = choice.index(request.headers.count)
            request.headers[at].name = bent(request.headers[at].name, &choice)
        default:
            let at = choice.index(request.headers.count)
            if choice.isOne(in: 2) {
                request.headers.append(request.headers[at])
            } else {
                request.headers.remove(at: at)
            }
            if request.headers.isEmpty { request.headers = [("X", "y")] }
        }
    }

    private static func bent(_ text: String, _ choice: inout RandomChoice) -> String {
        var bytes = Array(text.utf8)
        bend(&bytes, &choice, times: 1)
        return String(decoding: bytes, as: UTF8.self)
    }
}
