@Suite("LocalHTTPRoutes") struct LocalHTTPRoutesTests {
    /// The other transport answers every request with 299.
    private static let routes = LocalHTTPRoutes(
        otherwise: HTTPTransport { _ throws(HTTPFailure) in HTTPResponse(status: 299) }
    ).transport

    @Test func `a single request to this machine uses the local transport`() throws {
        let server = try LoopbackServer { HTTPResponse(status: 200, body: $0.body) }
        defer { server.stop() }
        for _ in 0..<3 {
            let answer = try Self.routes.send(
                HTTPRequest(.post, "\(server.url)/", body: [1, 2, 3]))
            expectEqual(answer.status, 200)
            expectEqual(answer.body, [1, 2, 3])
        }
    }

    @Test func `headers for the length and the host are sent once`() throws {
        let server = try LoopbackServer { request in
            let framing = ["host", "content-length"].map { name in
                request.headers.filter { $0.isNamed(name) }.map(\.value).joined(separator: "|")
            }
            return HTTPResponse(status: 200, body: Array(framing.joined(separator: " ").utf8))
        }
        defer { server.stop() }
        let headers = [HTTPHeader("Host", "signed:1"), HTTPHeader("Content-Length", "7")]
        let request = HTTPRequest(.post, "\(server.url)/", headers: headers, body: [1, 2])
        let answer = try Self.routes.send(request)
        expectEqual(String(decoding: answer.body, as: UTF8.self), "signed:1 2")
        let chunked = HTTPRequest(
            .post, "\(server.url)/", headers: [HTTPHeader("Transfer-Encoding", "chunked")])
        #expect(throws: HTTPFailure.invalidURL) { try Self.routes.send(chunked) }
    }

    @Test(arguments: [
        "https://127.0.0.1:1/", "http://localhost:1/", "http://example.com/", "http://127.0.0.1/",
        "http://127.0.0.1:1", "http://u@127.0.0.1:1/", "http://127.0.0.1:1/#a",
        "HTTP://127.0.0.1:1/", "http://10.0.0.1:1/", "http://127.0.0.1:1@example.com/", "",
    ])
    func `a URL that is not clearly of this machine uses the other transport`(url: String) throws {
        try expectEqual(Self.routes.send(HTTPRequest(.get, url)).status, 299)
    }

    @Test func `HEAD and requests to several hosts use libcurl`() throws {
        let url = "http://127.0.0.1:1/"
        try expectEqual(Self.routes.send(HTTPRequest(.head, url)).status, 299)
        for other in ["http://127.0.0.1:2/", "https://127.0.0.1:1/"] {
            let requests = [HTTPRequest(.get, url), HTTPRequest(.get, other)]
            let outcomes = Self.routes.sendAll(requests)
            try expectEqual(outcomes.map { try $0.get().status }, [299, 299])
        }
        #expect(Self.routes.sendAll([]).isEmpty)
    }

    @Test func `concurrent requests are answered in order, each on its own connection`() throws {
        let server = try LoopbackServer { HTTPResponse(status: 200, body: $0.body) }
        defer { server.stop() }
        for _ in 0..<3 {
            let outcomes = Self.routes.sendAll(
                (0..<20).map { HTTPRequest(.post, "\(server.url)/", body: [UInt8($0)]) })
            try expectEqual(outcomes.map { try $0.get().body }, (0..<20).map { [UInt8($0)] })
        }
    }

    @Test func `an address without a listener fails to connect`() throws {
        let server = try LoopbackServer { _ in HTTPResponse(status: 200) }
        server.stop()
        do throws(HTTPFailure) {
            _ = try Self.routes.send(HTTPRequest(.post, "\(server.url)/"))
            Issue.record("there was an answer")
        } catch .connectFailed {
        } catch {
            Issue.record("\(error)")
        }
    }
}
