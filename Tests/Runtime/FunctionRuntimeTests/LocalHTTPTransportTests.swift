@Suite("LocalHTTPTransport") struct LocalHTTPTransportTests {
    private func transport(_ server: LoopbackServer) throws -> HTTPTransport {
        try #require(LocalHTTPTransport(authority: server.authority)).transport
    }

    private func failure(_ send: () throws(HTTPFailure) -> HTTPResponse) -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try send()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "localhost:9001", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
        "127.0.0.1:+80", "127.0.0.1:80:80", "127.1:80", "0x7f000001:80", "10.0.0.1:80",
        "128.0.0.1:80", "169.253.0.1:80", "[::1]:80", "u@127.0.0.1:80", "", ":80",
        "127.0.0.1.example.com:80",
    ])
    func `an authority of any other form or host is refused`(authority: String) {
        #expect(LocalHTTPTransport(authority: authority) == nil)
    }

    @Test(arguments: ["127.0.0.1:9001", "127.255.0.1:1", "169.254.100.1:65535"])
    func `loopback and link-local addresses are accepted`(authority: String) {
        #expect(LocalHTTPTransport(authority: authority) != nil)
    }

    @Test func `requests arrive unchanged, on one connection`() throws {
        let server = try LoopbackServer { request in
            HTTPResponse(
                status: request.method == "GET" ? 200 : 202, headers: [HTTPHeader("X-Id", "7")],
                body: request.body)
        }
        defer { server.stop() }
        let transport = try transport(server)
        let body = [UInt8](repeating: 0xA5, count: 3 << 20)
        for round in 0..<3 {
            let got = try transport.send(HTTPRequest(.get, "\(server.url)/next?round=\(round)"))
            expectEqual(got.status, 200)
            expectEqual(got.header("x-id"), "7")
            #expect(got.body.isEmpty)
            let posted = try transport.send(
                HTTPRequest(
                    .post, "\(server.url)/response", headers: [HTTPHeader("content-type", "a/b")],
                    body: body,
                    limits: HTTPLimits(
                        connectMillisecondsMax: 2000, totalMillisecondsMax: 20_000,
                        responseBytesMax: body.count)))
            expectEqual(posted.status, 202)
            expectEqual(posted.body, body)
            let empty = try transport.send(HTTPRequest(.post, "\(server.url)/empty"))
            expectEqual(empty.status, 202)
        }
        let seen = server.requests
        expectEqual(
            seen.map(\.method),
            ["GET", "POST", "POST", "GET", "POST", "POST", "GET", "POST", "POST"])
        expectEqual(seen[0].path, "/next")
        expectEqual(seen[0].query, "round=0")
        expectEqual(seen[0].headers, [HTTPHeader("host", server.authority)])
        expectEqual(
            seen[1].headers,
            [
                HTTPHeader("host", server.authority), HTTPHeader("content-type", "a/b"),
                HTTPHeader("content-length", "\(body.count)"),
            ])
        expectEqual(server.connectionCount, 1)
    }

    @Test func `a chunked response is decoded`() throws {
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let server = try LoopbackServer(replying: { _ in
            .chunked(HTTPResponse(status: 200, body: body), pieceBytes: 777)
        })
        defer { server.stop() }
        let response = try transport(server).send(HTTPRequest(.get, "\(server.url)/"))
        expectEqual(response.body, body)
    }

    @Test func `a connection closed by the server is reopened`() throws {
        let server = try LoopbackServer(replying: { request in
            request.path == "/close"
                ? .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
                : .response(HTTPResponse(status: 200))
        })
        defer { server.stop() }
        let transport = try transport(server)
        for _ in 0..<3 {
            try expectEqual(transport.send(HTTPRequest(.get, "\(server.url)/close")).status, 200)
            try expectEqual(transport.send(HTTPRequest(.get, "\(server.url)/open")).status, 200)
        }
    }

    @Test func `failures are mapped to HTTPFailure`() throws {
        let server = try LoopbackServer(replying: { request in
            switch request.path {
            case "/raw": .raw(Array("nonsense\r\n".utf8))
            case "/silence": .silence
            case "/large":
                .response(HTTPResponse(status: 200, body: [UInt8](repeating: 0, count: 1001)))
            default: .hangUp
            }
        })
        let transport = try transport(server)
        let limits = HTTPLimits(
            connectMillisecondsMax: 2000, totalMillisecondsMax: 300, responseBytesMax: 1000)
        func failure(_ path: String) -> HTTPFailure? {
            self.failure { () throws(HTTPFailure) in
                try transport.send(HTTPRequest(.get, server.url + path, limits: limits))
            }
        }
        expectEqual(failure("/raw"), .interrupted(detail: "malformed response"))
        expectEqual(failure("/large"), .responseTooLarge)
        expectEqual(failure("/silence"), .timedOut)
        expectEqual(
            failure("/hang-up"),
            .interrupted(detail: "connection closed before the response was complete"))
        expectEqual(failure("/a b"), .invalidURL)
        expectEqual(failure("x"), .invalidURL)
        server.stop()
        guard case .connectFailed = failure("/") else {
            Issue.record("a closed port must be a failure to connect")
            return
        }
    }

    @Test(arguments: [("a\r\nb", "1"), ("a", "1\r\nb: 2"), ("a:", "1"), ("a", "\u{0}")])
    func `a header with a line end or a colon in its name is not sent`(name: String, value: String)
        throws
    {
        let server = try LoopbackServer { _ in HTTPResponse(status: 200) }
        defer { server.stop() }
        let transport = try transport(server)
        let request = HTTPRequest(.get, "\(server.url)/", headers: [HTTPHeader(name, value)])
        expectEqual(failure { () throws(HTTPFailure) in try transport.send(request) }, .invalidURL)
        #expect(server.requests.isEmpty)
    }
}
