import BaseTestSupport
import EmulatorBase
import Glibc
import Threads

@Suite("Server") struct ServerTests {
    /// Responds with the request.
    private func echo(_ limits: ServerLimits = ServerLimits()) throws -> Server {
        try Server(limits: limits) { request, slot in
            var headers = [HTTPHeader("Content-Type", "text/plain")]
            headers += request.headers.filter { $0.name.lowercased().hasPrefix("x-") }
            let text = "\(request.method) \(request.target) "
            slot.respond(
                ServerResponse(
                    status: 200, headers: headers, body: Array(text.utf8) + request.body))
        }
    }

    @Test func `a request arrives unchanged`() throws {
        let server = try echo()
        let client = try LoopbackClient(port: server.port)
        client.send(
            "GET /a%2Fb%20c?x=%26&x=+&&y HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-ONE: 2\r\n\r\n")
        let answer = try #require(client.answer())
        expectEqual(answer.status, 200)
        expectEqual(answer.body, "GET /a%2Fb%20c?x=%26&x=+&&y ")
        #expect(answer.head.contains("X-One: 1\r\nx-ONE: 2"))
    }

    @Test func `a connection serves many requests, also pipelined ones`() throws {
        let server = try echo()
        let client = try LoopbackClient(port: server.port)
        let request = "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        client.send(request + request + request)
        for _ in 0..<3 { expectEqual(client.answer()?.body, "POST /n abc") }
        client.send(request)
        expectEqual(client.answer()?.body, "POST /n abc")
        expectEqual(server.connectionCount, 1)
    }

    @Test func `a chunked body is decoded`() throws {
        let server = try echo()
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.send("3\r\nabc\r\n")
        client.send("2;ext=1\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n")
        expectEqual(client.answer()?.body, "POST / abcde")
    }

    @Test func `trailers of a chunked body are separate from the headers`() throws {
        let server = try Server { request, slot in
            let names = request.trailers.map { "\($0.name)=\($0.value)" }
            slot.respond(
                ServerResponse(status: 200, body: Array(names.joined(separator: ",").utf8)))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.send("1\r\na\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n")
        expectEqual(client.answer()?.body, "X-A=1,X-B=2")
    }

    @Test func `a response may come later from another thread`() throws {
        let server = try Server { request, slot in
            PosixThread.detached {
                usleep(30_000)
                slot.respond(ServerResponse(status: 201, body: Array(request.target.utf8)))
            }
        }
        let client = try LoopbackClient(port: server.port)
        for path in ["/one", "/two"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try #require(client.answer())
            expectEqual(answer.status, 201)
            expectEqual(answer.body, path)
        }
    }

    @Test func `only the first response counts`() throws {
        let counted = Mutex<[Bool]>([])
        let server = try Server { _, slot in
            let first = slot.respond(ServerResponse(status: 200))
            let second = slot.respond(ServerResponse(status: 500))
            counted.withLock { $0 = [first, second] }
        }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
        expectEqual(counted.withLock { $0 }, [true, false])
    }

    @Test func `a slot that is released without a response sends 500`() throws {
        let server = try Server { _, _ in }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 500)
    }

    @Test func `a disconnect is reported while a request waits`() throws {
        let told = DispatchFlag()
        let held = Mutex<[ResponseSlot]>([])
        let server = try Server { _, slot in
            slot.onClose { told.raise() }
            held.withLock { $0.append(slot) }
        }
        var client: LoopbackClient? = try LoopbackClient(port: server.port)
        client?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        while held.withLock({ $0.isEmpty }) { usleep(1000) }
        client = nil
        #expect(told.wait())
    }

    @Test func `waiting requests get a response when the server stops`() throws {
        let held = Mutex<[ResponseSlot]>([])
        let server = try Server { _, slot in held.withLock { $0.append(slot) } }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        while held.withLock({ $0.isEmpty }) { usleep(1000) }
        server.stop()
        expectEqual(client.answer()?.status, 503)
        #expect(client.isClosed())
    }

    @Test func `responses given while stopping are sent completely`() throws {
        let body = [UInt8](repeating: 0x61, count: 8 << 20)
        for _ in 0..<5 {
            let slots = Mutex<[ResponseSlot]>([])
            let server = try Server { _, slot in slots.withLock { $0.append(slot) } }
            let clients = try (0..<4).map { _ in try LoopbackClient(port: server.port) }
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            while slots.withLock({ $0.count < clients.count }) { usleep(1000) }
            PosixThread.detached {
                for slot in slots.withLock({ $0 }) {
                    slot.respond(ServerResponse(status: 200, headers: [], body: body))
                }
            }
            let hasStopped = DispatchFlag()
            PosixThread.detached {
                // Under a sanitizer, half a minute is not enough to read the responses.
                server.stop(graceMilliseconds: 120_000)
                hasStopped.raise()
            }
            for client in clients { expectEqual(client.answer()?.body.utf8.count, body.count) }
            #expect(hasStopped.wait())
        }
    }

    @Test func `two cookies are two lines, in order, and no header can split the response`() throws
    {
        let server = try Server { _, slot in
            slot.respond(
                ServerResponse(
                    status: 200,
                    headers: [
                        HTTPHeader("Set-Cookie", "a=1"), HTTPHeader("Set-Cookie", "b=2"),
                        HTTPHeader("X-Bad", "1\r\nX-Injected: 1"),
                        HTTPHeader("Content-Length", "0"),
                    ], body: Array("body".utf8)))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(client.answer())
        expectEqual(answer.body, "body")
        #expect(answer.head.contains("Set-Cookie: a=1\r\nSet-Cookie: b=2"))
        #expect(!answer.head.contains("X-Injected"))
    }

    @Test func `empty values are sent, and ISO-8859-1 values are accepted`() throws {
        let server = try echo()
        let client = try LoopbackClient(port: server.port)
        client.send(
            Array("GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nX-Old: caf".utf8) + [0xE9]
                + Array("\r\nX-New: café\r\n\r\n".utf8))
        let answer = try #require(client.answer())
        #expect(answer.head.contains("X-Empty: "))
        #expect(answer.head.contains("X-Old: café\r\nX-New: café"))
    }

    @Test func `one port serves all loopback addresses and reports the one used`() throws {
        let server = try Server(.wholeLoopback) { request, slot in
            slot.respond(ServerResponse(status: 200, body: Array(request.local.hostText.utf8)))
        }
        for (host, text) in [(0x7F00_0001, "127.0.0.1"), (0x7F01_0203, "127.1.2.3")] {
            let client = try LoopbackClient(port: server.port, host: UInt32(host))
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            expectEqual(client.answer()?.body, text)
        }
    }

    @Test func `a port in use is reported`() throws {
        let server = try echo()
        #expect(throws: ServerFailure.portTaken(server.port)) {
            _ = try Server(port: server.port) { _, _ in }
        }
    }

    @Test func `a thousand idle connections do not block requests`() throws {
        let server = try echo()
        let idle = try (0..<1000).map { _ in try LoopbackClient(port: server.port) }
        let request = "GET /i HTTP/1.1\r\nHost: a\r\n\r\n"
        for client in idle { client.send(request) }
        for client in idle { expectEqual(client.answer()?.status, 200) }
        expectEqual(server.connectionCount, 1000)
        for client in idle { client.send(request) }
        for client in idle { expectEqual(client.answer()?.status, 200) }
    }
}
