import BaseTestSupport
import HTTPServer

/// The result of parsing a stream of bytes.
enum Parsed: Equatable {
    case request(String)
    case refused(RequestRefusal)
}

@Suite("RequestParser") struct RequestParserTests {
    private static let host = "Host: example.com\r\n"

    /// The requests, as `METHOD path?query body`, and the refusal if there is one.
    static func parse(_ pieces: [[UInt8]], _ limits: RequestParser.Limits = .init()) -> [Parsed] {
        var parser = RequestParser(limits)
        var found: [Parsed] = []
        for piece in pieces {
            parser.receive(piece)
            do throws(RequestRefusal) {
                steps: while true {
                    switch try parser.next() {
                    case .needsInput: break steps
                    case .expectsContinue: continue
                    case .request(let request): found.append(.request(Self.text(request)))
                    }
                }
            } catch {
                found.append(.refused(error))
                return found
            }
        }
        return found
    }

    private static func text(_ request: ReceivedRequest) -> String {
        let query = request.query.isEmpty ? "" : "?\(request.query)"
        let body = String(decoding: request.body, as: UTF8.self)
        return "\(request.method) \(request.path)\(query)"
            + (body.isEmpty ? "" : " \(body)") + (request.isBodyTooLarge ? " too large" : "")
            + (request.closes ? " closes" : "")
    }

    static let accepted: [(bytes: String, requests: [String])] = [
        ("GET / HTTP/1.1\r\n\(host)\r\n", ["GET /"]),
        ("\r\nGET / HTTP/1.1\r\n\(host)\r\n", ["GET /"]),
        ("GET /a%20b?x=1&y=%2f HTTP/1.1\r\n\(host)\r\n", ["GET /a%20b?x=1&y=%2f"]),
        ("GET /?? HTTP/1.1\r\n\(host)\r\n", ["GET /??"]),
        ("GET http://other.example:80/p?q HTTP/1.1\r\n\(host)\r\n", ["GET /p?q"]),
        ("GET HTTPS://other.example HTTP/1.1\r\n\(host)\r\n", ["GET /"]),
        ("GET http://other.example?q HTTP/1.1\r\n\(host)\r\n", ["GET /?q"]),
        ("OPTIONS * HTTP/1.1\r\n\(host)\r\n", ["OPTIONS *"]),
        ("GET / HTTP/1.1\r\nhost:\r\n\r\n", ["GET /"]),
        ("GET / HTTP/1.0\r\n\r\n", ["GET / closes"]), ("GET / HTTP/1.9\r\n\(host)\r\n", ["GET /"]),
        ("GET / HTTP/1.1\r\n\(host)Connection: x, Close\r\n\r\n", ["GET / closes"]),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\n\r\nabc", ["POST / abc"]),
        ("POST / HTTP/1.1\r\n\(host)Content-Length:003 \t\r\n\r\nabc", ["POST / abc"]),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n", ["POST /"]),
        (
            "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: Chunked\r\n\r\n"
                + "2\r\nab\r\n0A;name=\"v\"\r\n0123456789\r\n1 ;x\r\n\n\r\n000\r\nX-T: v\r\n\r\n",
            ["POST / ab0123456789\n"]
        ),
        (
            "POST /1 HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\na"
                + "GET /2 HTTP/1.1\r\n\(host)\r\n\r\nGET /3 HTTP/1.1\r\n\(host)\r\n",
            ["POST /1 a", "GET /2", "GET /3"]
        ),
        // Nothing after a request that closes the connection is read.
        (
            "GET /1 HTTP/1.1\r\n\(host)Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n\(host)\r\n",
            ["GET /1 closes"]
        ),
    ]

    @Test(arguments: accepted)
    func `a request is read, also byte by byte`(bytes: String, requests: [String]) {
        let expected = requests.map(Parsed.request)
        expectEqual(Self.parse([Array(bytes.utf8)]), expected)
        expectEqual(Self.parse(bytes.utf8.map { [$0] }), expected)
    }

    static let refused: [(bytes: String, refusal: RequestRefusal)] = [
        // The request line.
        ("GET / HTTP/1.1\n\(host)\r\n", .malformed),
        ("\nGET / HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET  / HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET / HTTP/1.1 \r\n\(host)\r\n", .malformed),
        (" GET / HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET\t/\tHTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /\r\n\r\n", .malformed),
        ("GET HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("G(T / HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET a HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /a b HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /a#b HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /é HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /\u{0} HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET /\r HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET * HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET ftp://example.com/ HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET http:///p HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET http://user@example.com/ HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("CONNECT example.com:443 HTTP/1.1\r\n\(host)\r\n", .malformed),
        ("GET / http/1.1\r\n\(host)\r\n", .malformed),
        ("GET / HTTP/1.10\r\n\(host)\r\n", .malformed),
        ("GET / HTTP/2.0\r\n\(host)\r\n", .unknownVersion),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .unknownVersion),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n", .malformed),
        // Fields.
        ("GET / HTTP/1.1\r\n\(host)X: a\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X : a\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X\t: a\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\r\n\tb\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n Host: example.com\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host): a\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X[]: a\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)X: a\u{7F}\r\n\r\n", .malformed),
        // The host.
        ("GET / HTTP/1.1\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: user@a\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .malformed),
        // Lengths.
        ("POST / HTTP/1.1\r\n\(host)Content-Length: +3\r\n\r\nabc", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: -3\r\n\r\nabc", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 0x3\r\n\r\nabc", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 3, 3\r\n\r\nabc", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 1 3\r\n\r\nabc", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length:\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\ncontent-length: 3\r\n\r\nabc", .malformed),
        (
            "POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\n\r\n", .malformed
        ),
        // Transfer codings.
        (
            "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"
                + "\r\n\r\n0\r\n\r\n", .malformed
        ),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, chunked\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding:\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: \u{B}chunked\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: \"chunked\"\r\n\r\n", .malformed),
        ("POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n", .malformed),
        (
            "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n",
            .unknownTransferCoding
        ),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: identity\r\n\r\n", .unknownTransferCoding),
        ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: xchunked\r\n\r\n", .unknownTransferCoding),
        // Expectations.
        ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nExpect: 200\r\n\r\n", .unknownExpectation),
    ]

    static let refusedChunks = [
        "\r\n", ";\r\n", "x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", "1\n", "1 \r\n", " 1\r\n",
        "1\r\na\n", "1\r\nab\r\n", "1\r\na0\r\n", "1;a\u{0}\r\n", "1;a\rb\r\n", "1;a\nb\r\n",
        "123456789\r\n", "1 1\r\n", "0\r\nX : a\r\n", "0\r\nX: a\r\n b\r\n", "0\r\n\n",
        "0\r\nX\r\n", "1\r\na\r\n\r\n", "1;" + String(repeating: "x", count: 300),
    ]

    @Test(arguments: refused)
    func `an ambiguous request is refused, also byte by byte`(
        bytes: String, refusal: RequestRefusal
    ) {
        expectEqual(Self.parse([Array(bytes.utf8)]), [.refused(refusal)])
        expectEqual(Self.parse(bytes.utf8.map { [$0] }), [.refused(refusal)])
    }

    @Test(arguments: refusedChunks) func `an ambiguous chunk is refused`(chunk: String) {
        let bytes = "POST / HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n" + chunk
        expectEqual(Self.parse([Array(bytes.utf8)]), [.refused(.malformed)])
        expectEqual(Self.parse(bytes.utf8.map { [$0] }), [.refused(.malformed)])
    }

    @Test func `a header that is not UTF-8 is refused`() {
        let bytes =
            Array("GET / HTTP/1.1\r\n\(Self.host)X: ".utf8) + [0xFF] + Array("\r\n\r\n".utf8)
        expectEqual(Self.parse([bytes]), [.refused(.malformed)])
    }

    @Test(arguments: accepted)
    func `an incomplete request is not a request`(bytes: String, requests: [String]) {
        let bytes = Array(bytes.utf8)
        let expected = requests.map(Parsed.request)
        for end in 0..<bytes.count {
            let found = Self.parse([Array(bytes[..<end])])
            #expect(found.count <= expected.count)
            expectEqual(found, Array(expected.prefix(found.count)), "up to \(end)")
        }
    }

    @Test func `limits are exact`() {
        var limits = RequestParser.Limits()
        limits.targetBytesMax = 40
        limits.headBytesMax = 60
        limits.bodyBytesMax = 10
        func parse(_ text: String) -> [Parsed] {
            let whole = Self.parse([Array(text.utf8)], limits)
            expectEqual(Self.parse(text.utf8.map { [$0] }, limits), whole)
            return whole
        }
        let path = String(repeating: "a", count: 26)
        expectEqual(parse("GET /\(path) HTTP/1.1\r\nHost: a\r\n\r\n"), [.request("GET /\(path)")])
        expectEqual(parse("GET /\(path)a HTTP/1.1\r\nHost: a\r\n\r\n"), [.refused(.targetTooLong)])
        expectEqual(parse(String(repeating: "a", count: 100)), [.refused(.targetTooLong)])
        let value = String(repeating: "b", count: 45)
        expectEqual(parse("GET / HTTP/1.1\r\nHost: a\r\nX:\(value)\r\n\r\n"), [.request("GET /")])
        expectEqual(
            parse("GET / HTTP/1.1\r\nHost: a\r\nX:\(value)b\r\n\r\n"), [.refused(.headTooLarge)])
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        expectEqual(
            parse(post + "Content-Length: 10\r\n\r\n0123456789"), [.request("POST / 0123456789")])
        expectEqual(
            parse(post + "Content-Length: 11\r\n\r\n"), [.request("POST / too large closes")])
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        expectEqual(
            parse(chunked + "6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n"),
            [.request("POST / 0123456789")])
        expectEqual(parse(chunked + "6\r\n012345\r\n5\r\n"), [.request("POST / too large closes")])
        expectEqual(
            parse(chunked + "0\r\n" + String(repeating: "X: y\r\n", count: 20)),
            [.refused(.headTooLarge)])
    }

    @Test func `a client that waits for 100 Continue gets it once, and only if it waits`() throws {
        let head =
            "POST / HTTP/1.1\r\n\(Self.host)Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        var parser = RequestParser()
        parser.receive(Array(head.utf8))
        try expectEqual(parser.next(), .expectsContinue)
        try expectEqual(parser.next(), .needsInput)
        parser.receive(Array("a".utf8))
        try expectEqual(parser.next(), .needsInput)

        var eager = RequestParser()
        eager.receive(Array((head + "a").utf8))
        try expectEqual(eager.next(), .needsInput)

        var old = RequestParser()
        old.receive(
            Array("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n".utf8))
        try expectEqual(old.next(), .needsInput)
    }

    @Test func `the authority of an absolute target replaces the host`() throws {
        var parser = RequestParser()
        parser.receive(
            Array("GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\nX: y\r\n\r\n".utf8))
        guard case .request(let request) = try parser.next() else {
            Issue.record("no request")
            return
        }
        expectEqual(request.headers, [HTTPHeader("Host", "a.example"), HTTPHeader("X", "y")])
    }

    @Test func `the parser's phase decides which time limit applies`() throws {
        var parser = RequestParser()
        expectEqual(parser.phase, .idle)
        for (text, phase) in [
            ("G", RequestParser.Phase.head), ("ET / HTTP/1.1\r\n", .head), ("Host: a\r\n", .head),
            ("Transfer-Encoding: chunked\r\n\r\n", .body), ("1\r\na", .body), ("\r\n0\r\n", .body),
        ] {
            parser.receive(Array(text.utf8))
            try expectEqual(parser.next(), .needsInput)
            expectEqual(parser.phase, phase)
        }
        parser.receive(Array("\r\n".utf8))
        _ = try parser.next()
        expectEqual(parser.phase, .idle)
        #expect(parser.bytesHeld <= 2)
    }
}
