import BaseTestSupport
import Foundation

@Suite("LoopbackServer") struct LoopbackServerTests {
    @Test func `one connection carries several requests, with length and chunked`() throws {
        let server = try LoopbackServer { request in
            HTTPResponse(
                status: 200, headers: [HTTPHeader("x-seen", request.method)], body: request.body)
        }
        defer { server.stop() }
        let answer = try exchange(
            server,
            "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 3\r\n\r\nabc"
                + "PUT /d HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n"
                + "2;x=y\r\nde\r\n1\r\nf\r\n0\r\nX-Trailer: t\r\n\r\n"
                + "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n")
        expectEqual(answer.components(separatedBy: "HTTP/1.1 200 Scripted\r\n").count, 4)
        #expect(answer.contains("x-seen: POST\r\nContent-Length: 3\r\n\r\nabcHTTP"))
        #expect(answer.contains("\r\n\r\ndefHTTP"))
        #expect(answer.hasSuffix("Content-Length: 0\r\n\r\n"))
        let seen = server.requests
        expectEqual(seen.map(\.method), ["POST", "PUT", "HEAD"])
        expectEqual(seen[0].path, "/a")
        expectEqual(seen[0].query, "b=c")
        expectEqual(seen[0].headers.filter { $0.name == "x-a" }.map(\.value), ["1", "2"])
        expectEqual(seen[1].bodyText, "def")
    }

    @Test func `the test server supports Expect 100-continue, and misbehaves on request`() throws {
        let server = try LoopbackServer(replying: { request in
            switch request.path {
            case "/chunked": .chunked(HTTPResponse(status: 200, body: [1, 2, 3]), pieceBytes: 2)
            case "/raw": .raw(Array("nonsense".utf8))
            case "/silence": .silence
            default: .hangUp
            }
        })
        defer { server.stop() }
        let expecting = "POST /raw HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx"
        try expectEqual(exchange(server, expecting), "HTTP/1.1 100 Continue\r\n\r\nnonsense")
        let chunked = try exchange(server, "GET /chunked HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(chunked.hasSuffix("\r\n\r\n2\r\n\u{1}\u{2}\r\n1\r\n\u{3}\r\n0\r\n\r\n"))
        try expectEqual(exchange(server, "GET /bye HTTP/1.1\r\n\r\n"), "")
        try expectEqual(exchange(server, "not http\r\n\r\n"), "")
        try expectEqual(exchange(server, "GET /silence HTTP/1.1\r\n\r\n", closesWriting: true), "")
    }

    @Test func `the test server stops while clients are connected`() throws {
        let server = try LoopbackServer(replying: { _ in .silence })
        let idle = try LoopbackClient(port: server.port)
        let waiting = try LoopbackClient(port: server.port)
        #expect(waiting.send("GET / HTTP/1.1\r\n\r\n"))
        server.stop()
        server.stop()
        #expect(idle.isClosed())
        #expect(waiting.isClosed())
    }
}

/// Sends and reads until the server closes the connection.
private func exchange(
    _ server: LoopbackServer, _ text: String, closesWriting: Bool = false
) throws -> String {
    let client = try LoopbackClient(port: server.port)
    try #require(client.send(text))
    if closesWriting { client.finishSending() }
    return client.readToEnd()
}
