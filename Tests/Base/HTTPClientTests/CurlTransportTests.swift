import BaseTestSupport
import HTTPClient

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct CurlTransportTests {
    /// Uses the system's certificate authorities, which plain HTTP does not need.
    private let client = CurlTransport(trust: CertificateTrust { _ in nil })

    @Test(arguments: [
        (HTTPRequest.Method.get, ""), (.get, "with a body"), (.post, "hello"), (.post, ""),
        (.put, "hello"), (.put, ""), (.patch, "hello"), (.delete, ""), (.delete, "why"),
    ])
    func `a request arrives unchanged`(method: HTTPRequest.Method, body: String) throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 200, body: bytes("ok")) }
        defer { server.stop() }
        let response = try client.send(
            HTTPRequest(
                method, server.url + "/a/../b%20c?x=1&y", headers: [HTTPHeader("X-Who", "me")],
                body: bytes(body)))
        expectEqual(response.status, 200)
        expectEqual(response.body, bytes("ok"))
        let seen = try #require(server.requests.first)
        expectEqual(server.requests.count, 1)
        expectEqual(seen.method, method.rawValue)
        expectEqual(seen.target, "/a/../b%20c?x=1&y")
        expectEqual(seen.bodyText, body)
        expectEqual(seen.header("x-who"), "me")
    }

    @Test func `only Host and Content-Length are added`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 204) }
        defer { server.stop() }
        let body = [UInt8](repeating: 7, count: 2 << 20)
        _ = try client.send(HTTPRequest(.post, server.url, body: body))
        let seen = try #require(server.requests.first)
        expectEqual(
            seen.headers.sorted { $0.name < $1.name },
            [
                HTTPHeader("content-length", String(body.count)),
                HTTPHeader("host", server.authority),
            ])
        expectEqual(seen.body, body)
    }

    @Test func `request headers keep their order, duplicates and empty values`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 204) }
        defer { server.stop() }
        let headers = [
            HTTPHeader("X-B", "1"), HTTPHeader("X-A", "2"), HTTPHeader("X-B", "3"),
            HTTPHeader("X-Empty", ""), HTTPHeader("Accept", "text/plain"),
            HTTPHeader("Content-Type", "application/json"),
        ]
        _ = try client.send(HTTPRequest(.post, server.url, headers: headers, body: bytes("{}")))
        let seen = try #require(server.requests.first)
        expectEqual(
            seen.headers.filter { !["host", "content-length"].contains($0.name) },
            headers.map { HTTPHeader($0.name.lowercased(), $0.value) })
    }

    @Test func `a Host header in the request is used`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 204) }
        defer { server.stop() }
        _ = try client.send(
            HTTPRequest(.get, server.url, headers: [HTTPHeader("Host", "signed.example")]))
        expectEqual(
            server.requests.first?.headers.filter { $0.name == "host" },
            [HTTPHeader("host", "signed.example")])
    }

    @Test func `a wrong Content-Length in the request is not sent`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 204) }
        defer { server.stop() }
        _ = try client.send(
            HTTPRequest(
                .post, server.url, headers: [HTTPHeader("Content-Length", "1")],
                body: bytes("hello")))
        expectEqual(server.requests.first?.bodyText, "hello")
    }

    @Test func `response headers are in lower case, in order, with duplicates`() throws {
        let server = try LoopbackServer { _ in
            HTTPResponse(
                status: 418,
                headers: [
                    HTTPHeader("X-Second", " padded \t"), HTTPHeader("SET-COOKIE", "a=1"),
                    HTTPHeader("Set-Cookie", "b=2"),
                ], body: bytes("x"))
        }
        defer { server.stop() }
        let response = try client.send(HTTPRequest(.get, server.url))
        expectEqual(response.status, 418)
        expectEqual(
            response.headers,
            [
                HTTPHeader("x-second", "padded"), HTTPHeader("set-cookie", "a=1"),
                HTTPHeader("set-cookie", "b=2"), HTTPHeader("content-length", "1"),
            ])
    }

    @Test func `an answer to HEAD has headers and no body, whatever its Content-Length`() throws {
        let server = try LoopbackServer { _ in
            HTTPResponse(status: 200, body: Array(repeating: 1, count: 5000))
        }
        defer { server.stop() }
        var request = HTTPRequest(.head, server.url)
        request.limits.responseBytesMax = 10
        let response = try client.send(request)
        expectEqual(server.requests.first?.method, "HEAD")
        expectEqual(response.header("content-length"), "5000")
        #expect(response.body.isEmpty)
    }

    @Test func `a chunked body is decoded and its trailer is ignored`() throws {
        let server = try LoopbackServer(replying: { _ in
            .raw(
                bytes(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n6\r\n world\r\n0\r\nX-Late: 1\r\n\r\n"))
        })
        defer { server.stop() }
        let response = try client.send(HTTPRequest(.get, server.url))
        expectEqual(response.body, bytes("hello world"))
        expectEqual(response.header("x-late"), nil)
    }

    @Test func `an interim response is not the response`() throws {
        let server = try LoopbackServer(replying: { _ in
            .raw(
                bytes(
                    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                        + "HTTP/1.1 201 Created\r\nX-Real: 1\r\nContent-Length: 0\r\n\r\n"))
        })
        defer { server.stop() }
        let response = try client.send(HTTPRequest(.get, server.url))
        expectEqual(response.status, 201)
        expectEqual(response.header("x-real"), "1")
        expectEqual(response.header("link"), nil)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is returned like any other response`(status: Int) throws {
        let server = try LoopbackServer { _ in
            HTTPResponse(status: status, headers: [HTTPHeader("Location", "/elsewhere")])
        }
        defer { server.stop() }
        let response = try client.send(HTTPRequest(.get, server.url))
        expectEqual(response.status, status)
        expectEqual(response.header("location"), "/elsewhere")
        expectEqual(server.requests.count, 1)
    }

    @Test func `cookies are not stored`() throws {
        let server = try LoopbackServer { _ in
            HTTPResponse(status: 200, headers: [HTTPHeader("Set-Cookie", "a=1; Path=/")])
        }
        defer { server.stop() }
        for _ in 1...2 { _ = try client.send(HTTPRequest(.get, server.url)) }
        expectEqual(server.requests.count, 2)
        #expect(server.requests.allSatisfy { $0.header("cookie") == nil })
    }

    @Test func `a warm client reuses its connection, also after error statuses`() throws {
        let connections = Mutex(Set<UInt>())
        let server = try LoopbackServer { seen in
            connections.withLock { _ = $0.insert(currentThread()) }
            return HTTPResponse(status: seen.path == "/no" ? 500 : 200, body: bytes("x"))
        }
        defer { server.stop() }
        for path in ["/", "/no", "/", "/no", "/"] {
            _ = try client.send(HTTPRequest(.post, server.url + path, body: bytes("{}")))
        }
        expectEqual(server.requests.count, 5)
        expectEqual(connections.withLock { $0.count }, 1)
    }

    @Test func `a connection that went stale in the pool is replaced`() throws {
        let first = try LoopbackServer { _ in HTTPResponse(status: 200) }
        _ = try client.send(HTTPRequest(.get, first.url))
        first.stop()
        let second = try LoopbackServer { _ in HTTPResponse(status: 201) }
        defer { second.stop() }
        try expectEqual(client.send(HTTPRequest(.get, second.url)).status, 201)
        #expect(throws: HTTPFailure.self) { try client.send(HTTPRequest(.get, first.url)) }
    }

    @Test func `options of one request do not affect the next`() throws {
        let server = try LoopbackServer { _ in
            HTTPResponse(status: 200, body: Array(repeating: 1, count: 100))
        }
        defer { server.stop() }
        _ = try client.send(
            HTTPRequest(
                .put, server.url, headers: [HTTPHeader("X-Secret", "1")], body: bytes("body")))
        _ = try client.send(HTTPRequest(.head, server.url))
        var limited = HTTPRequest(.get, server.url)
        limited.limits.responseBytesMax = 99
        #expect(throws: HTTPFailure.responseTooLarge) { try client.send(limited) }
        let response = try client.send(HTTPRequest(.get, server.url))
        expectEqual(response.body.count, 100)
        let last = try #require(server.requests.last)
        expectEqual(last.method, "GET")
        #expect(last.body.isEmpty)
        expectEqual(last.header("x-secret"), nil)
    }

    @Test func `concurrent callers each get their own response`() async throws {
        let server = try LoopbackServer { seen in
            HTTPResponse(status: 200, body: bytes(seen.query))
        }
        defer { server.stop() }
        let (client, url) = (client, server.url)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try client.send(HTTPRequest(.get, "\(url)/?\(number)")).body
                        == bytes(String(number))
                }
            }
            for try await isOwn in group { #expect(isOwn) }
        }
    }

    @Test func `the client's transport sends requests`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 202) }
        defer { server.stop() }
        try expectEqual(client.transport.send(HTTPRequest(.get, server.url)).status, 202)
    }
}
