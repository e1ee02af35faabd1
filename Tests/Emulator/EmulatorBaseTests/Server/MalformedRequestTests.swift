import EmulatorBase
import Glibc
import TestSupport

/// Requests that a server must refuse (RFC 9112 sections 2, 3, 6 and 11).
@Suite("Malformed requests") struct MalformedRequestTests {
    private static let host = "Host: a\r\n"
    private static let get = "GET / HTTP/1.1\r\n\(host)"
    private static let post = "POST / HTTP/1.1\r\n\(host)"
    private static let chunked = "Transfer-Encoding: chunked\r\n"

    struct Malformed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: String

        init(_ name: String, _ request: String) {
            testDescription = name
            self.request = request
        }
    }

    private static let smuggling: [Malformed] = [
        Malformed("two lengths", "\(post)Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"),
        Malformed("one length twice", "\(post)Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
        Malformed("lengths in a list", "\(post)Content-Length: 3, 3\r\n\r\nabc"),
        Malformed("a length and chunks", "\(post)Content-Length: 3\r\n\(chunked)\r\n0\r\n\r\n"),
        Malformed("chunks and a length", "\(post)\(chunked)Content-Length: 3\r\n\r\n0\r\n\r\n"),
        Malformed("a signed length", "\(post)Content-Length: +3\r\n\r\nabc"),
        Malformed("a negative length", "\(post)Content-Length: -3\r\n\r\nabc"),
        Malformed("a hexadecimal length", "\(post)Content-Length: 0x3\r\n\r\nabc"),
        Malformed("an endless length", "\(post)Content-Length: 99999999999999999999\r\n\r\nabc"),
        Malformed("another encoding", "\(post)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        Malformed("identity", "\(post)Transfer-Encoding: identity\r\n\r\n"),
        Malformed("an encoding twice", "\(post)\(chunked)\(chunked)\r\n0\r\n\r\n"),
        Malformed("a disguised encoding", "\(post)Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        Malformed("chunks in HTTP/1.0", "POST / HTTP/1.0\r\n\(host)\(chunked)\r\n0\r\n\r\n"),
        Malformed("a blank before the colon", "\(post)Content-Length : 3\r\n\r\nabc"),
        Malformed("a chunk size of no digits", "\(post)\(chunked)\r\nx\r\nabc\r\n0\r\n\r\n"),
        Malformed(
            "a chunk size over 64 bits",
            "\(post)\(chunked)\r\nfffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
        Malformed("an incomplete chunk", "\(post)\(chunked)\r\n3\r\nabcdef\r\n0\r\n\r\n"),
    ]

    private static let heads: [Malformed] = [
        Malformed("no host", "GET / HTTP/1.1\r\n\r\n"),
        Malformed("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Malformed("an unknown version", "GET / HTTP/3.7\r\n\(host)\r\n"),
        Malformed("no version", "GET /\r\n\(host)\r\n"),
        Malformed("a word too many", "GET / x HTTP/1.1\r\n\(host)\r\n"),
        Malformed("a control character in the target", "GET /\u{1} HTTP/1.1\r\n\(host)\r\n"),
        Malformed("a target without a slash", "GET x HTTP/1.1\r\n\(host)\r\n"),
        Malformed("an absolute target", "GET http://other/ HTTP/1.1\r\n\(host)\r\n"),
        Malformed("a method that is no token", "G(T / HTTP/1.1\r\n\(host)\r\n"),
        Malformed(
            "a method without end", "\(String(repeating: "A", count: 99)) / HTTP/1.1\r\n\(host)\r\n"
        ),
        Malformed("a header without a colon", "\(get)nonsense\r\n\r\n"),
        Malformed("a control character in a header", "\(get)X: \u{2}\r\n\r\n"),
        Malformed(
            "a target without end",
            "GET /\(String(repeating: "a", count: 70_000)) HTTP/1.1\r\n\(host)\r\n"),
        Malformed(
            "a head without end",
            "\(get)X: \(String(repeating: "a", count: 70_000))\r\n\r\n"),
        Malformed(
            "headers without end",
            "\(get)\(String(repeating: "X: a\r\n", count: 20_000))\r\n"),
    ]

    @Test(arguments: smuggling + heads)
    func `a malformed request is refused, closes its connection, and never reaches the handler`(
        malformed: Malformed
    ) throws {
        let reached = Mutex(0)
        let server = try Server { _, slot in
            reached.withLock { $0 += 1 }
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        client.send(malformed.request)
        client.finishSending()
        let answer = client.answer()
        #expect(answer.map { (400..<600).contains($0.status) } ?? true)
        #expect(client.isClosed())
        expectEqual(reached.withLock { $0 }, 0)
        // The next connection works.
        let next = try LoopbackClient(port: server.port)
        next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(next.answer()?.status, 200)
    }

    /// A client that is still sending when the connection is closed loses the response.
    @Test func `a body slightly over the limit is read before it is refused`() throws {
        let server = try Server(limits: ServerLimits(bodyBytesMax: 10)) { _, slot in
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
        client.send("0123456789")
        client.send("a")
        expectEqual(client.answer()?.status, 413)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
    }

    @Test func `an announced body far over the limit is refused before it is sent`() throws {
        let server = try Server(limits: ServerLimits(bodyBytesMax: 10)) { _, slot in
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
        expectEqual(client.answer()?.status, 413)
        let next = try LoopbackClient(port: server.port)
        next.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789")
        expectEqual(next.answer()?.status, 200)
    }

    @Test func `a chunked body over the limit is refused, and an endless one is cut off`() throws {
        let server = try Server(limits: ServerLimits(bodyBytesMax: 100)) { _, slot in
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        client.send(head + "78\r\n\(String(repeating: "a", count: 120))\r\n0\r\n\r\n")
        expectEqual(client.answer()?.status, 413)
        let endless = try LoopbackClient(port: server.port)
        endless.send(head)
        let piece = "10000\r\n\(String(repeating: "a", count: 1 << 16))\r\n"
        for _ in 0..<40 { endless.send(piece) }
        #expect(endless.isClosed())
    }

    @Test func `a sender that is too slow is disconnected`() throws {
        let limits = ServerLimits(idleSecondsMax: 1, receiveSecondsMax: 1)
        let server = try Server(limits: limits) { _, slot in
            slot.respond(ServerResponse(status: 200))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        var sent = 0
        while sent < 500, server.connectionCount > 0 || sent < 10 {
            client.send("a")
            usleep(20_000)
            sent += 1
        }
        #expect(sent < 500)
        #expect(client.isClosed())
    }
}
