import EmulatorBase
import TestSupport

/// Messages that two parsers could interpret differently: each must have exactly one interpretation
/// or be refused.
@Suite("Edge cases of the protocol") struct ProtocolEdgeTests {
    enum Meaning: Sendable, Equatable {
        /// Answered with 4xx or not at all; the connection is closed and the handler is not called.
        case none
        /// The handler receives exactly these bodies.
        case bodies([String])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sent: String
        let meaning: Meaning

        init(_ name: String, _ sent: String, _ meaning: Meaning = .none) {
            testDescription = name
            self.sent = sent
            self.meaning = meaning
        }
    }

    private static func post(_ lines: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(body)"
    }

    private static func chunked(_ body: String) -> String {
        post("Transfer-Encoding: chunked", body)
    }

    private static let none = "0\r\n\r\n"
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static let encodings: [Row] = [
        Row("a blank before the colon", post("Transfer-Encoding : chunked", none)),
        Row("a tab for a blank", post("Transfer-Encoding:\tchunked", none), .bodies([""])),
        Row("a vertical tab", post("Transfer-Encoding:\u{B}chunked", none)),
        Row("an encoding in capitals", post("TRANSFER-ENCODING: CHUNKED", none), .bodies([""])),
        Row("chunks that are not last", post("Transfer-Encoding: chunked, identity", none)),
        Row("chunks in quotes", post("Transfer-Encoding: \"chunked\"", none)),
        Row("chunks and a comma", post("Transfer-Encoding: chunked,", none)),
        Row("chunks twice in a list", post("Transfer-Encoding: chunked, chunked", none)),
        Row("an empty encoding", post("Transfer-Encoding:", none)),
        Row(
            "two encodings",
            post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", none)),
        Row("a parameter", post("Transfer-Encoding: chunked;a=b", none)),
        Row("a folded encoding", post("Transfer-Encoding:\r\n chunked", none)),
        Row("a folded header", post("X: a\r\n b", "")),
        Row("a header that begins folded", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        Row("a header's name in underscores", post("Content_Length: 3"), .bodies([""])),
    ]

    private static let lengths: [Row] = [
        Row("an empty length", post("Content-Length:", "abc")),
        Row("blanks before a length", post("Content-Length: \t 3", "abc"), .bodies(["abc"])),
        Row("a folded length", post("Content-Length: 1\r\n 2", "abcdefghijkl")),
        Row("zeros before a length", post("Content-Length: 003", "abc"), .bodies(["abc"])),
        Row("a blank inside a length", post("Content-Length: 3 3", "abc")),
        Row("a length with a point", post("Content-Length: 3.0", "abc")),
        Row("a length with an exponent", post("Content-Length: 3e0", "abc")),
        Row("a length in other digits", post("Content-Length: \u{FF13}", "abc")),
        Row("a length over 63 bits", post("Content-Length: 9223372036854775808", "abc")),
        Row("a length over 64 bits", post("Content-Length: 18446744073709551619", "abc")),
        Row("a length on a request without a body", get + get, .bodies(["", ""])),
        Row("a length of nothing", post("Content-Length: 0", get), .bodies(["", ""])),
    ]

    private static let chunks: [Row] = [
        Row("a chunk", chunked("3\r\nabc\r\n\(none)"), .bodies(["abc"])),
        Row("an extension", chunked("3;a=b;c\r\nabc\r\n\(none)"), .bodies(["abc"])),
        Row(
            "digits of both cases", chunked("a\r\n0123456789\r\n0A\r\n0123456789\r\n\(none)"),
            .bodies(["01234567890123456789"])),
        Row("a negative chunk", chunked("-3\r\nabc\r\n\(none)")),
        Row("a chunk with a plus", chunked("+3\r\nabc\r\n\(none)")),
        Row("a chunk with a prefix", chunked("0x3\r\nabc\r\n\(none)")),
        Row("a chunk without a size", chunked("\r\nabc\r\n\(none)")),
        Row("an extension without a size", chunked(";a\r\nabc\r\n\(none)")),
        Row("a chunk without an end", chunked("3\r\nabc\(none)")),
        Row("a chunk over 64 bits", chunked("10000000000000003\r\nabc\r\n\(none)")),
        Row("a chunk of 64 bits", chunked("ffffffffffffffff\r\nabc\r\n\(none)")),
        Row("a body without its end", chunked("3\r\nabc\r\n")),
        Row("a trailer", chunked("0\r\nX: a\r\n\r\n"), .bodies([""])),
        Row(
            "a trailer that would be a length",
            chunked("0\r\nContent-Length: 9\r\n\r\n") + get, .bodies(["", ""])),
    ]

    private static let lines: [Row] = [
        Row("no line at all", ""),
        Row("an empty line before the request", "\r\n\(get)", .bodies([""])),
        Row("line ends of one character", "GET / HTTP/1.1\nHost: a\n\n"),
        Row("a last line end of one character", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Row("a return without a line feed", "GET / HTTP/1.1\rHost: a\r\r"),
        Row("a NUL in a header", post("X: a\0b")),
        Row("a NUL in a name", post("X\0: a")),
        Row("a NUL in a target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("a NUL in a length", post("Content-Length: 3\0", "abc")),
        Row("a NUL at a header's end", post("X: a\0\r\nY: b")),
        Row("a NUL at the head's end", post("X: a\0")),
        Row("a NUL before a colon", post("Transfer-Encoding\0: chunked", none)),
        Row("a name without letters", post(": a")),
        Row("a version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Row("a version of many digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
        Row("a version of one digit", "GET / HTTP/1\r\nHost: a\r\n\r\n"),
        Row("version 2 in text", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        Row("version 0.9", "GET /\r\n"),
        Row("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Row("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{3}"),
        Row("a tunnel", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("an authority", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("a proxy's target", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("an asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .bodies([""])),
        Row("an asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("an empty target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("two blanks", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("two blanks after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("no method", " / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Row("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", .bodies([""])),
        Row("a good one after a bad one", "GET / HTTP/1.1\r\n\r\n\(get)"),
        Row("a bad one after a good one", "\(get)G(T / HTTP/1.1\r\nHost: a\r\n\r\n", .bodies([""])),
    ]

    @Test(arguments: encodings + lengths + chunks + lines)
    func `a message has one interpretation or is refused`(row: Row) throws {
        let bodies = Mutex<[String]>([])
        let server = try Server { request, slot in
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        client.send(row.sent)
        client.finishSending()
        var statuses: [Int] = []
        while let answer = client.answer() { statuses.append(answer.status) }
        #expect(client.isClosed())
        switch row.meaning {
        case .none:
            expectEqual(bodies.withLock { $0 }, [])
            #expect(statuses.first.map { (400..<500).contains($0) || $0 == 505 } ?? true)
        case .bodies(let expected):
            expectEqual(bodies.withLock { $0 }, expected)
            expectEqual(Array(statuses.prefix(expected.count)), expected.map { _ in 200 })
        }
    }
}
