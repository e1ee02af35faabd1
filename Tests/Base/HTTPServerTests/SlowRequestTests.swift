import BaseTestSupport
import Dispatch
import Glibc
import HTTPServer

/// Requests that wait for their turn: here the ones with a path that begins with `/slow`; the query
/// names the client.
@Suite("Slow requests", .hangLimit) struct SlowRequestTests {
    /// A server whose slow requests are answered one for each `letOne`.
    private final class SlowServer: Sendable {
        let running: RunningServer
        private let gate = DispatchSemaphore(value: 0)
        private let answered: Answered

        init(atOnce: Int = 1, waitMilliseconds: Int = 60_000, workers: Int = 2) throws {
            let (gate, answered) = (gate, Answered())
            self.answered = answered
            running = try RunningServer(
                workers: workers,
                slow: SlowRequests(atOnceMax: atOnce, waitMillisecondsMax: waitMilliseconds) {
                    $0.path.hasPrefix("/slow") ? $0.query : nil
                },
                answer: { request in
                    guard request.path.hasPrefix("/slow") else {
                        return ServerResponse(status: 200)
                    }
                    if let seconds = request.refusedForSeconds {
                        return ServerResponse(
                            status: 503, headers: [HTTPHeader("retry-after", "\(seconds)")])
                    }
                    answered.note(request.query)
                    gate.wait()
                    return ServerResponse(status: 200)
                })
        }

        private final class Answered: Sendable {
            private let clients = Mutex<[String]>([])
            func note(_ client: String) { clients.withLock { $0.append(client) } }
            var all: [String] { clients.withLock { $0 } }
        }

        /// The clients whose requests were begun, in order.
        var begun: [String] { answered.all }

        func letOne() { gate.signal() }

        func ask(_ client: String) throws -> LoopbackClient {
            let connection = try running.client()
            connection.send("POST /slow?\(client) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            return connection
        }

        /// Waits until so many were begun.
        func waitForBegun(_ count: Int) {
            for _ in 0..<2_000 where begun.count < count { usleep(2_000) }
        }

        /// Whether another request is answered at once: then what was sent before has arrived.
        func answersOthers() throws -> Bool {
            let other = try running.client()
            other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            return other.answer()?.status == 200
        }
    }

    @Test func `slow requests wait without a thread, and all are answered`() throws {
        let server = try SlowServer()
        defer { server.running.stop() }
        var clients: [LoopbackClient] = []
        for index in 0..<30 { clients.append(try server.ask("c\(index)")) }
        // One is begun, and the other responder is for others.
        for _ in 0..<5 { try expectEqual(server.answersOthers(), true) }
        expectEqual(server.begun.count, 1)
        for _ in clients { server.letOne() }
        for client in clients { expectEqual(client.answer()?.status, 200) }
    }

    @Test func `clients take turns`() throws {
        let server = try SlowServer()
        defer { server.running.stop() }
        var clients = [try server.ask("flood")]
        server.waitForBegun(1)
        for _ in 0..<10 {
            clients.append(try server.ask("flood"))
            try expectEqual(server.answersOthers(), true)
        }
        for name in ["ada", "bob"] {
            clients.append(try server.ask(name))
            try expectEqual(server.answersOthers(), true)
        }
        for _ in clients { server.letOne() }
        for client in clients { expectEqual(client.answer()?.status, 200) }
        expectEqual(server.begun.prefix(5), ["flood", "flood", "ada", "bob", "flood"])
    }

    @Test func `a request whose turn would come too late is refused at once, counted by client`()
        throws
    {
        // A guess of 50 milliseconds each: four turns are 200.
        let server = try SlowServer(waitMilliseconds: 150)
        defer { server.running.stop() }
        var clients = [try server.ask("flood")]
        server.waitForBegun(1)
        for _ in 0..<4 {
            clients.append(try server.ask("flood"))
            try expectEqual(server.answersOthers(), true)
        }
        let refused = try #require(try server.ask("flood").answer())
        expectEqual(refused.status, 503)
        expectEqual(refused.header("retry-after"), "1")
        // Another client has to wait for one turn of the flood only.
        clients.append(try server.ask("ada"))
        try expectEqual(server.answersOthers(), true)
        for _ in clients { server.letOne() }
        for client in clients { expectEqual(client.answer()?.status, 200) }
    }

    @Test func `a client that hangs up leaves the queue`() throws {
        let server = try SlowServer()
        defer { server.running.stop() }
        let first = try server.ask("ada")
        server.waitForBegun(1)
        var gone: LoopbackClient? = try server.ask("gone")
        let last = try server.ask("bob")
        try expectEqual(server.answersOthers(), true)
        gone?.finishSending()
        #expect(gone?.isClosed() == true)
        gone = nil
        for _ in 0..<2 { server.letOne() }
        expectEqual(first.answer()?.status, 200)
        expectEqual(last.answer()?.status, 200)
        expectEqual(server.begun, ["ada", "bob"])
    }

    @Test func `requests that a client sends while it waits are answered afterwards`() throws {
        let server = try SlowServer()
        defer { server.running.stop() }
        let first = try server.ask("ada")
        server.waitForBegun(1)
        let second = try server.ask("bob")
        try expectEqual(server.answersOthers(), true)
        second.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
        try expectEqual(server.answersOthers(), true)
        for _ in 0..<2 { server.letOne() }
        expectEqual(first.answer()?.status, 200)
        expectEqual(second.answer()?.status, 200)
        expectEqual(second.answer()?.status, 200)
    }

    @Test func `requests that wait when the server stops are answered`() throws {
        let server = try SlowServer()
        let clients = try ["ada", "bob", "eve"].map { try server.ask($0) }
        server.waitForBegun(1)
        try expectEqual(server.answersOthers(), true)
        server.running.stop()
        for _ in clients { server.letOne() }
        for client in clients { expectEqual(client.answer()?.status, 200) }
        expectEqual(server.running.ended(), .finished)
    }
}
