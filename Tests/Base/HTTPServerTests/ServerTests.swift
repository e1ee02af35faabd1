import BaseTestSupport
import Dispatch
import Glibc
import HTTPServer

@Suite("Server", .hangLimit) struct ServerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ body: String, path: String = "/") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `an answer has a date, and no name of the server`() throws {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.post("abc", path: "/p"))
        let answer = try #require(client.answer())
        expectEqual(
            answer.head,
            "HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nx-path: /p\r\n"
                + "content-length: 3")
        expectEqual(answer.body, "abc")
        expectEqual(server.seen.withLock { $0.first?.peer }, "127.0.0.1")
    }

    @Test func `the connection is kept, and pipelined requests are answered in order`() throws {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        let paths = (0..<50).map { $0 % 7 == 0 ? "/now" : "/\($0)" }
        client.send(paths.map { Self.post("x", path: $0) }.joined())
        for path in paths {
            let answer = try #require(client.answer())
            expectEqual(answer.status, 200)
            if path != "/now" { expectEqual(answer.header("x-path"), path) }
        }
    }

    @Test func `a client that has finished sending is answered`() throws {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(Self.get + Self.get)
        client.finishSending()
        expectEqual(client.answer()?.status, 200)
        expectEqual(client.answer()?.status, 200)
        #expect(client.isClosed())
    }

    @Test func `a request that is cut off never reaches a worker`() throws {
        let server = try RunningServer()
        defer { server.stop() }
        for text in ["GET", "GET / HTTP/1.1\r\n", String(Self.post("abc").dropLast())] {
            let client = try server.client()
            client.send(text)
            client.finishSending()
            #expect(client.isClosed())
        }
        #expect(server.seen.withLock { $0.isEmpty })
    }

    @Test func `an answer to HEAD has the length and no body`() throws {
        let server = try RunningServer(answer: { _ in
            ServerResponse(status: 200, body: Array("hello".utf8))
        })
        defer { server.stop() }
        let client = try server.client()
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let text = client.readToEnd()
        #expect(text.contains("content-length: 5\r\nconnection: close\r\n\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test func `a 204 has neither length nor body; framing fields of a handler are dropped`() throws
    {
        let server = try RunningServer(answer: { _ in
            ServerResponse(
                status: 204,
                headers: [
                    HTTPHeader("content-length", "7"), HTTPHeader("set-cookie", "a=1"),
                    HTTPHeader("set-cookie", "b=2"), HTTPHeader("x", "a\r\ny: b"),
                ], body: [1])
        })
        defer { server.stop() }
        let client = try server.client()
        client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        expectEqual(
            client.readToEnd(),
            "HTTP/1.1 204 No Content\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                + "set-cookie: a=1\r\nset-cookie: b=2\r\nconnection: close\r\n\r\n")
    }

    @Test(arguments: RequestParserTests.refused)
    func `an ambiguous request is answered and ends the connection`(
        bytes: String, refusal: RequestRefusal
    ) throws {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        client.send(bytes + Self.get)
        let answer = try #require(client.answer())
        expectEqual(answer.status, refusal.status)
        expectEqual(answer.header("connection"), "close")
        #expect(answer.body.hasPrefix(#"{"message":"#))
        client.finishSending()
        #expect(client.isClosed())
        #expect(server.seen.withLock { $0.isEmpty })
    }

    @Test func `100 Continue is sent, and a length over the limit is refused`() throws {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length:"
        client.send("\(head) 2\r\n\r\n")
        expectEqual(client.answer()?.status, 100)
        client.send("ab")
        expectEqual(client.answer()?.body, "ab")
        client.send("\(head) 999999999\r\n\r\n")
        let answer = try #require(client.answer())
        expectEqual(answer.header("connection"), "close")
        expectEqual(server.seen.withLock { $0.last?.isBodyTooLarge }, true)
    }

    @Test func `a body at the limit passes, and a large response is sent to a slow reader`() throws
    {
        let server = try RunningServer()
        defer { server.stop() }
        let client = try server.client()
        let body = String(repeating: "x", count: 6 << 20)
        client.send(Self.post(body))
        // The response fills the buffers of the sockets.
        usleep(200_000)
        let answer = try #require(client.answer())
        expectEqual(answer.body.utf8.count, body.utf8.count)
    }

    @Test func `slow clients do not keep others waiting`() throws {
        let server = try RunningServer(workers: 1)
        defer { server.stop() }
        let slow = try (0..<200).map { index in
            let client = try server.client()
            client.send(index % 2 == 0 ? "GET / HT" : String(Self.post("abc").dropLast()))
            return client
        }
        let client = try server.client()
        client.send(Self.get)
        expectEqual(client.answer()?.status, 200)
        for (index, client) in slow.enumerated() {
            client.send(index % 2 == 0 ? "TP/1.1\r\nHost: a\r\n\r\n" : "c")
        }
        for client in slow { expectEqual(client.answer()?.status, 200) }
    }

    @Test func `a head and a body that take too long are answered with 408`() throws {
        var limits = ServerLimits()
        limits.headTime = 300
        limits.bodyTime = 300
        limits.idleTime = 600
        let server = try RunningServer(limits)
        defer { server.stop() }
        // A byte now and then does not extend the time.
        let texts = [Self.get, Self.post(String(repeating: "x", count: 60))]
        let heads = [0, texts[1].utf8.count - 60]
        let clients = try texts.map { _ in try server.client() }
        for (client, (text, head)) in zip(clients, zip(texts, heads)) {
            client.send(Array(text.utf8.prefix(head)))
        }
        for step in 0..<12 {
            for (client, (text, head)) in zip(clients, zip(texts, heads)) {
                client.send([Array(text.utf8)[head + step]])
            }
            usleep(60_000)
        }
        for client in clients { expectEqual(client.answer()?.status, 408) }
        let idle = try server.client()
        #expect(idle.isClosed())
        #expect(server.seen.withLock { $0.isEmpty })
    }

    @Test func `a full server closes idle connections first, then the oldest incomplete head`()
        throws
    {
        var limits = ServerLimits()
        limits.connectionsMax = 3
        let server = try RunningServer(limits)
        defer { server.stop() }
        /// The server has read `text` when it has answered the preceding request.
        func begin(_ text: String) throws -> LoopbackClient {
            let client = try server.client()
            client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n" + text)
            expectEqual(client.answer()?.status, 200)
            // Makes the next connection younger by the server's clock, which has milliseconds.
            usleep(5_000)
            return client
        }
        let idle = try begin("")
        let body = try begin(String(Self.post("abc").dropLast()))
        let first = try begin("GET / HT")
        let second = try begin("GET / HT")
        #expect(idle.isClosed())
        let third = try begin("GET / HT")
        #expect(first.isClosed())
        // A body has made more progress than a head.
        let fourth = try begin("GET / HT")
        #expect(second.isClosed())
        body.send("c")
        expectEqual(body.answer()?.status, 200)
        for client in [third, fourth] {
            client.send("TP/1.1\r\nHost: a\r\n\r\n")
            expectEqual(client.answer()?.status, 200)
        }
    }

    @Test func `a request that has waited too long for a worker is refused`() throws {
        let time = Atomic<Int>(0)
        let counters = ServerCounters()
        let (begun, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try RunningServer(
            workers: 1, counters: counters, queueClock: { time.load(ordering: .acquiring) },
            answer: { _ in
                begun.signal()
                ends.wait()
                return ServerResponse(status: 200)
            })
        defer { server.stop() }
        let first = try server.client()
        first.send(Self.get)
        begun.wait()
        let second = try server.client()
        second.send(Self.get)
        while counters.requestsInFlight < 2 { usleep(1_000) }
        time.store(ServerLimits().queueTime + 1, ordering: .releasing)
        ends.signal()
        expectEqual(first.answer()?.status, 200)
        let refused = try #require(second.answer())
        expectEqual(refused.status, 503)
        expectEqual(refused.header("retry-after"), "1")
        expectEqual(refused.header("connection"), nil)
        ends.signal()
        second.send(Self.get)
        expectEqual(second.answer()?.status, 200)
        expectEqual(counters.refusals.map(\.status), [503])
    }

    @Test func `incomplete heads do not keep new clients out`() throws {
        var limits = ServerLimits()
        limits.connectionsMax = 4
        limits.headTime = 3_600_000
        let counters = ServerCounters()
        let server = try RunningServer(limits, counters: counters)
        defer { server.stop() }
        let slow = try (0..<12).map { _ in
            let client = try server.client()
            client.send("GET / HT")
            return client
        }
        let client = try server.client()
        client.send(Self.get)
        expectEqual(client.answer()?.status, 200)
        expectEqual(counters.connectionsEvicted, slow.count + 1 - limits.connectionsMax)
    }

    @Test func `stopping answers running requests and closes idle connections`() throws {
        let server = try RunningServer(answer: { _ in
            usleep(200_000)
            return ServerResponse(status: 200)
        })
        let idle = try server.client()
        idle.send(Self.get)
        expectEqual(idle.answer()?.status, 200)
        let busy = try server.client()
        busy.send(Self.get)
        let half = try server.client()
        half.send("GET / HT")
        usleep(50_000)
        server.stop()
        #expect(idle.isClosed())
        expectEqual(busy.answer()?.header("connection"), "close")
        half.send("TP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(half.answer()?.header("connection"), "close")
        busy.finishSending()
        half.finishSending()
        expectEqual(server.ended(), .finished)
        #expect(LoopbackClient.misses(port: server.port))
    }

    /// Closing a connection with unread bytes resets it. Most clients then fail while they send,
    /// and never read the response.
    @Test func `a client that is still sending slowly gets its response`() throws {
        let server = try RunningServer()
        let client = try server.client()
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
        for _ in 0..<6 {
            #expect(client.send("more"))
            usleep(600_000)
        }
        client.finishSending()
        #expect(client.answer() != nil)
        #expect(client.isClosed())
    }

    @Test func `a draining server accepts connections, and tells clients to close them`() throws {
        var limits = ServerLimits()
        limits.drainTime = 1_000
        let server = try RunningServer(limits)
        let early = try server.client()
        early.send(Self.get)
        expectEqual(early.answer()?.header("connection"), nil)
        server.stop()
        usleep(200_000)
        early.send(Self.get)
        expectEqual(early.answer()?.header("connection"), "close")
        let late = try server.client()
        late.send(Self.get)
        expectEqual(late.answer()?.header("connection"), "close")
        early.finishSending()
        late.finishSending()
        expectEqual(server.ended(), .finished)
        #expect(LoopbackClient.misses(port: server.port))
    }

    @Test func `a request on an idle connection is answered right after the stop`() throws {
        let server = try RunningServer()
        let client = try server.client()
        client.send(Self.get)
        expectEqual(client.answer()?.status, 200)
        server.stop()
        usleep(100_000)
        client.send(Self.get)
        expectEqual(client.answer()?.header("connection"), "close")
    }

    @Test func `a second stop, or the time limit, ends the server at once`() throws {
        for isTwice in [true, false] {
            var limits = ServerLimits()
            limits.stopTime = isTwice ? 60_000 : 200
            let server = try RunningServer(limits)
            let half = try server.client()
            half.send("GET / HT")
            usleep(50_000)
            server.stop()
            if isTwice { server.stop() }
            expectEqual(server.ended(), .cutOff)
        }
    }

    @Test func `memory for bodies is limited`() throws {
        var limits = ServerLimits()
        limits.bytesHeldMax = 1 << 20
        let server = try RunningServer(limits)
        defer { server.stop() }
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
        let clients = try (0..<2).map { _ in try server.client() }
        for client in clients {
            client.send(head + String(repeating: "x", count: 900_000))
            usleep(100_000)
        }
        expectEqual(clients[1].answer()?.status, 503)
        clients[0].send(String(repeating: "x", count: 100_000))
        expectEqual(clients[0].answer()?.status, 200)
    }
}

@Suite("ListenAddress") struct ListenAddressTests {
    @Test func `every form of an address is parsed`() {
        expectEqual(ListenAddress("127.0.0.1:8080"), .ipv4(host: "127.0.0.1", port: 8080))
        expectEqual(ListenAddress("localhost:0"), .ipv4(host: "127.0.0.1", port: 0))
        expectEqual(ListenAddress("[::1]:8080"), .ipv6(host: "::1", port: 8080))
        expectEqual(ListenAddress(":80"), .everyAddress(port: 80))
        expectEqual(ListenAddress("unix:/run/x.sock"), .unix(path: "/run/x.sock"))
        expectEqual(ListenAddress("fd:3"), .descriptor(3))
    }

    @Test(arguments: [
        "", "8080", ":", ":x", ":65536", ":-1", "example.com:80", "127.0.0.1", "::1:80", "[::1]",
        "[1.2.3.4]:80", "1.2.3:80", "unix:", "fd:", "fd:2", "fd:x", "fd:99999999999",
        "unix:" + String(repeating: "x", count: 108),
    ])
    func `other texts are not addresses`(text: String) { expectEqual(ListenAddress(text), nil) }

    @Test func `a Unix socket in use, or another file, is not replaced`() throws {
        let folder = try TemporaryFolder()
        let address = ListenAddress.unix(path: folder.file("s"))
        let living = try Listener(address)
        #expect(throws: ListenFailure.self) { try Listener(address) }
        _ = consume living
        #expect(folder.names.isEmpty)
        try folder.write([], to: "s")
        #expect(throws: ListenFailure.self) { try Listener(address) }
    }
}
