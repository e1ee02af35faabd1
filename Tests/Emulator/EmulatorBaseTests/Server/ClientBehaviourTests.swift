import BaseTestSupport
import EmulatorBase
import Glibc

/// Clients that are slow, disconnect early, or expect 100 Continue.
@Suite("Clients") struct ClientBehaviourTests {
    private func server(_ limits: ServerLimits = ServerLimits()) throws -> Server {
        try Server(limits: limits) { request, slot in
            let size = request.target == "/large" ? 8 << 20 : request.body.count
            let response = ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: size))
            guard request.target == "/later" else { return _ = slot.respond(response) }
            DetachedThread.run {
                usleep(20_000)
                slot.respond(response)
            }
        }
    }

    private func waitUntilEmpty(_ server: Server) -> Bool {
        for _ in 0..<120_000 {
            if server.connectionCount == 0 { return true }
            usleep(1000)
        }
        return false
    }

    @Test func `Expect 100-continue gets 100 Continue`() throws {
        let server = try server()
        let client = try LoopbackClient(port: server.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        expectEqual(client.answer()?.status, 100)
        client.send("abc")
        expectEqual(client.answer()?.body, "aaa")
    }

    @Test func `Expect 100-continue with too large a body gets an error instead`() throws {
        let server = try server(ServerLimits(bodyBytesMax: 2))
        let client = try LoopbackClient(port: server.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        expectEqual(client.answer()?.status, 413)
        #expect(client.isClosed())
    }

    @Test(arguments: ["/", "/later", "/large"])
    func `a half-closed client still gets the response`(target: String) throws {
        let server = try server()
        let client = try LoopbackClient(port: server.port)
        let request = "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(request + request + request)
        client.finishSending()
        for _ in 0..<3 { expectEqual(client.answer()?.status, 200) }
        #expect(client.isClosed())
    }

    @Test func `clients that disconnect early do not affect others`() throws {
        let server = try server()
        for _ in 0..<20 {
            for text in [
                "", "G", "GET / HTTP/1.1\r\nHo", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "GET /later HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
            ] {
                try LoopbackClient(port: server.port).send(text)
            }
        }
        #expect(waitUntilEmpty(server))
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        expectEqual(client.answer()?.body, "aaa")
    }

    @Test func `a client that is too slow with any part of a request is disconnected`() throws {
        let server = try server(ServerLimits(idleSecondsMax: 600, receiveSecondsMax: 1))
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        let beginnings = [
            "GET /", "GET / HTTP/1.1\r\nX: ", "\(post)Content-Length: 100000\r\n\r\n",
            "\(post)Transfer-Encoding: chunked\r\n\r\nfffff\r\n",
            "\(post)Transfer-Encoding: chunked\r\n\r\n1;",
        ]
        let good = try LoopbackClient(port: server.port)
        good.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(good.answer()?.status, 200)
        let clients = try beginnings.map { text in
            let client = try LoopbackClient(port: server.port)
            client.send(text)
            return client
        }
        // And one that stops sending.
        let silent = try LoopbackClient(port: server.port)
        silent.send("GET / HT")
        var rounds = 0
        while server.connectionCount > 1, rounds < 1000 {
            for client in clients { client.send("a") }
            usleep(20_000)
            rounds += 1
        }
        for client in clients + [silent] { #expect(client.isClosed()) }
        // A connection that is idle between two requests is not slow.
        good.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(good.answer()?.status, 200)
    }

    @Test func `request and response heads of ten kilobytes fit`() throws {
        let filler = (0..<20).map { HTTPHeader("X-\($0)", String(repeating: "a", count: 500)) }
        let server = try Server { _, slot in
            slot.respond(ServerResponse(status: 200, headers: filler))
        }
        let client = try LoopbackClient(port: server.port)
        let lines = (0..<40).map { "H-\($0): \(String(repeating: "b", count: 240))\r\n" }
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\(lines.joined())\r\n")
        let answer = try #require(client.answer())
        expectEqual(answer.status, 200)
        #expect(answer.head.utf8.count > 10_200)
    }

    @Test(arguments: [
        "GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 5000))\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
            + "\(String(repeating: "X: y\r\n", count: 5000))\r\n",
    ])
    func `a larger head is refused`(request: String) throws {
        let server = try server()
        let client = try LoopbackClient(port: server.port)
        client.send(request)
        client.finishSending()
        #expect(client.answer().map { (400..<500).contains($0.status) } ?? true)
        #expect(client.isClosed())
    }

    /// libmicrohttpd itself responds with 500: the handler is not called.
    @Test func `a chunk extension that is too large ends the connection`() throws {
        let server = try server()
        let client = try LoopbackClient(port: server.port)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;")
        client.send(String(repeating: "a", count: 40_000) + "\r\na\r\n0\r\n\r\n")
        #expect(client.answer().map { $0.status != 200 } ?? true)
        #expect(client.isClosed())
    }

    /// libmicrohttpd's own event loop hung on exactly 128 events.
    @Test(arguments: [127, 128, 129, 256, 512])
    func `any number of concurrent requests is answered`(count: Int) throws {
        let server = try Server(limits: ServerLimits(threads: 1)) { request, slot in
            // While the only thread is busy, the events of all other connections accumulate.
            if request.target == "/busy" { usleep(100_000) }
            slot.respond(ServerResponse(status: 200))
        }
        let clients = try (0..<count).map { _ in try LoopbackClient(port: server.port) }
        let busy = try LoopbackClient(port: server.port)
        for _ in 0..<2 {
            busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n")
            usleep(20_000)
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for client in clients + [busy] { expectEqual(client.answer()?.status, 200) }
        }
    }

    /// The thread may be working, spinning, about to block, or blocked.
    @Test func `a response is sent in every state of the server's thread`() throws {
        let server = try Server(limits: ServerLimits(threads: 1)) { _, slot in
            let pause = UInt32.random(in: 0..<300)
            DetachedThread.run {
                usleep(pause)
                slot.respond(ServerResponse(status: 200))
            }
        }
        let clients = try (0..<3).map { _ in try LoopbackClient(port: server.port) }
        for _ in 0..<500 {
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for client in clients { try #require(client.answer()?.status == 200) }
        }
    }

    @Test func `clients are distributed over the threads`() throws {
        let threads = Mutex<[pthread_t: Int]>([:])
        let server = try Server(limits: ServerLimits(threads: 2)) { _, slot in
            threads.withLock { $0[pthread_self(), default: 0] += 1 }
            slot.respond(ServerResponse(status: 200))
        }
        let clients = try (0..<8).map { _ in try LoopbackClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for client in clients { expectEqual(client.answer()?.status, 200) }
        expectEqual(threads.withLock { Array($0.values) }, [4, 4])
    }

    @Test func `clients over the limit wait until another disconnects`() throws {
        let server = try server(ServerLimits(connectionsMax: 3))
        var clients = try (0..<5).map { _ in try LoopbackClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for client in clients[..<3] { expectEqual(client.answer()?.status, 200) }
        expectEqual(server.connectionCount, 3)
        clients.removeFirst(2)
        for client in clients[1...] { expectEqual(client.answer()?.status, 200) }
    }

    @Test func `connections after the stop are refused`() throws {
        let server = try server()
        #expect(LoopbackClient.finds(port: server.port))
        server.stop()
        #expect(LoopbackClient.misses(port: server.port))
    }
}
