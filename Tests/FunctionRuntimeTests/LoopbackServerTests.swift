import Foundation
import HTTP
import TestSupport
import Testing

@Suite("LoopbackServer") struct LoopbackServerTests {
    @Test func `serves several requests on one connection, with length and chunked`() throws {
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
        #expect(answer.components(separatedBy: "HTTP/1.1 200 Scripted\r\n").count == 4)
        #expect(answer.contains("x-seen: POST\r\nContent-Length: 3\r\n\r\nabcHTTP"))
        #expect(answer.contains("\r\n\r\ndefHTTP"))
        #expect(answer.hasSuffix("Content-Length: 0\r\n\r\n"))
        let seen = server.requests
        #expect(seen.map(\.method) == ["POST", "PUT", "HEAD"])
        #expect(seen[0].path == "/a")
        #expect(seen[0].query == "b=c")
        #expect(seen[0].headers.filter { $0.name == "x-a" }.map(\.value) == ["1", "2"])
        #expect(seen[1].bodyText == "def")
    }

    @Test func `continues when asked to and misbehaves on request`() throws {
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
        #expect(try exchange(server, expecting) == "HTTP/1.1 100 Continue\r\n\r\nnonsense")
        let chunked = try exchange(server, "GET /chunked HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(chunked.hasSuffix("\r\n\r\n2\r\n\u{1}\u{2}\r\n1\r\n\u{3}\r\n0\r\n\r\n"))
        #expect(try exchange(server, "GET /bye HTTP/1.1\r\n\r\n") == "")
        #expect(try exchange(server, "not http\r\n\r\n") == "")
        #expect(try exchange(server, "GET /silence HTTP/1.1\r\n\r\n", closesWriting: true) == "")
    }

    @Test func `stops with clients in the middle of something`() throws {
        let server = try LoopbackServer(replying: { _ in .silence })
        let idle = try connect(server)
        let waiting = try connect(server)
        defer { for descriptor in [idle, waiting] { close(descriptor) } }
        #expect(send(waiting, "GET / HTTP/1.1\r\n\r\n", 18, 0) == 18)
        var byte: UInt8 = 0
        server.stop()
        server.stop()
        #expect(recv(idle, &byte, 1, 0) <= 0)
        #expect(recv(waiting, &byte, 1, 0) <= 0)
    }
}

private func connect(_ server: LoopbackServer) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    try #require(status == 0)
    return descriptor
}

/// Sends and reads until the server ends the connection.
private func exchange(
    _ server: LoopbackServer, _ text: String, closesWriting: Bool = false
) throws -> String {
    let descriptor = try connect(server)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    try #require(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    if closesWriting { shutdown(descriptor, Int32(SHUT_WR)) }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
        answer += buffer[..<count]
    }
}
