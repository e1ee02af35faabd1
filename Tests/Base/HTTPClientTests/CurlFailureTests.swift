import BaseTestSupport
import Glibc
import HTTPClient

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The kind of failure, without libcurl's text, which depends on its version.
private enum Outcome: Equatable {
    case invalidURL, connectFailed, timedOut, responseTooLarge, interrupted, answered
}

@Suite struct CurlFailureTests {
    private let client = CurlTransport(trust: CertificateTrust { _ in nil })

    private func outcome(of request: HTTPRequest) -> Outcome {
        do {
            _ = try client.send(request)
            return .answered
        } catch {
            switch error {
            case .invalidURL: return .invalidURL
            case .connectFailed: return .connectFailed
            case .timedOut: return .timedOut
            case .responseTooLarge: return .responseTooLarge
            case .interrupted: return .interrupted
            }
        }
    }

    private func outcome(of url: String, totalMilliseconds: Int?) -> Outcome {
        var request = HTTPRequest(.get, url)
        request.limits.totalMillisecondsMax = totalMilliseconds
        return outcome(of: request)
    }

    @Test func `a silent peer times out`() throws {
        let server = try LoopbackServer(replying: { _ in .silence })
        defer { server.stop() }
        expectEqual(outcome(of: server.url, totalMilliseconds: 100), .timedOut)
    }

    @Test func `a peer that stalls within the body times out too`() throws {
        let server = try LoopbackServer(replying: { _ in
            .stall(after: bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"))
        })
        defer { server.stop() }
        expectEqual(outcome(of: server.url, totalMilliseconds: 200), .timedOut)
    }

    @Test func `without a total timeout, a late response is awaited`() throws {
        let server = try LoopbackServer { _ in
            usleep(50_000)
            return HTTPResponse(status: 200)
        }
        defer { server.stop() }
        expectEqual(outcome(of: server.url, totalMilliseconds: nil), .answered)
    }

    @Test(arguments: [(100, Outcome.answered), (99, .responseTooLarge), (0, .responseTooLarge)])
    private func `a body may be as large as its limit`(bytesMax: Int, expected: Outcome) throws {
        let response = HTTPResponse(status: 200, body: Array(repeating: 1, count: 100))
        let announced = try LoopbackServer { _ in response }
        let chunked = try LoopbackServer(replying: { _ in .chunked(response, pieceBytes: 30) })
        defer {
            announced.stop()
            chunked.stop()
        }
        for server in [announced, chunked] {
            var request = HTTPRequest(.get, server.url)
            request.limits.responseBytesMax = bytesMax
            expectEqual(outcome(of: request), expected)
        }
    }

    @Test(arguments: [
        (128, 10, Outcome.answered), (129, 10, .responseTooLarge), (3, 40_000, .responseTooLarge),
    ])
    private func `headers are limited in number and size`(
        count: Int, valueBytes: Int, expected: Outcome
    ) throws {
        let value = String(repeating: "v", count: valueBytes)
        let lines = (1..<count).map { "X-\($0): \(value)\r\n" }.joined()
        let server = try LoopbackServer(replying: { _ in
            .raw(bytes("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n"))
        })
        defer { server.stop() }
        expectEqual(outcome(of: HTTPRequest(.get, server.url)), expected)
    }

    @Test(arguments: [
        "garbage", "\u{0}\u{1}\u{2}", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 2OO OK\r\n\r\n", "HTTP/1.1 99\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : 1\r\n\r\n", "HTTP/1.1 200 OK\r\n: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: 1\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi", "",
    ])
    func `an incomplete response is an error`(reply: String) throws {
        let server = try LoopbackServer(replying: { _ in .raw(bytes(reply)) })
        defer { server.stop() }
        expectEqual(outcome(of: HTTPRequest(.get, server.url)), .interrupted)
    }

    @Test(arguments: [
        "", "example.com", "/path", "//example.com/", "ftp://example.com/", "file:///etc/passwd",
        "gopher://example.com/", "http://", "http:///path", "http:/127.0.0.1/",
        "http://user@127.0.0.1/",
        "http://user:password@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: 1",
        "http://127.0.0.1/\u{0}", "http://127.0.0.1:99999/", "http://127.0.0.1/#fragment",
        "javascript:alert(1)", "http://[::1",
        "http://127.0.0.1/" + String(repeating: "a", count: 17_000),
    ])
    func `an invalid URL is refused`(url: String) {
        expectEqual(outcome(of: HTTPRequest(.get, url)), .invalidURL)
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-B: 2"), ("X-A", "1\nX-B: 2"), ("X-A", "\u{0}"), ("X-A", "\u{7F}"),
        ("X A", "1"), ("X:A", "1"), ("", "1"), ("X-A\r\nX-B", "1"), ("X-\u{E9}", "1"),
        ("Transfer-Encoding", "chunked"), ("X-Large", String(repeating: "v", count: 70_000)),
    ])
    func `a header with a line break is never sent`(name: String, value: String) throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 200) }
        defer { server.stop() }
        let request = HTTPRequest(.get, server.url, headers: [HTTPHeader(name, value)])
        expectEqual(outcome(of: request), .invalidURL)
        #expect(server.requests.isEmpty)
    }

    @Test func `a client can be used after a failure`() throws {
        let server = try LoopbackServer(replying: { seen in
            seen.path == "/bad" ? .hangUp : .response(HTTPResponse(status: 200))
        })
        defer { server.stop() }
        for _ in 1...3 {
            expectEqual(outcome(of: HTTPRequest(.get, server.url + "/bad")), .interrupted)
            expectEqual(outcome(of: HTTPRequest(.get, server.url)), .answered)
        }
    }
}
