import BaseTestSupport
import EmulatorBase
import Glibc

/// Responses whose body is written while it is sent.
@Suite("Streamed responses") struct StreamTests {
    private final class Streams: Sendable {
        private let all = Mutex<[ResponseStream]>([])
        func add(_ stream: ResponseStream) { all.withLock { $0.append(stream) } }

        /// The first stream, once there is one.
        func first() throws -> ResponseStream {
            for _ in 0..<120_000 {
                if let stream = all.withLock({ $0.first }) { return stream }
                usleep(1000)
            }
            throw NoStream()
        }

        struct NoStream: Error {}
    }

    private let streams = Streams()

    private func server(waitingBytesMax: Int = 1 << 20) throws -> Server {
        let streams = streams
        return try Server { _, slot in
            let stream = ResponseStream(waitingBytesMax: waitingBytesMax)
            let head = ServerResponse(
                status: 200, headers: [HTTPHeader("Content-Type", "text/event-stream")])
            slot.respond(head, streaming: stream)
            streams.add(stream)
        }
    }

    private func client(_ server: Server, _ method: String = "GET") throws -> LoopbackClient {
        let client = try LoopbackClient(port: server.port)
        client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
        return client
    }

    private func eventually(_ condition: () -> Bool) -> Bool {
        for _ in 0..<120_000 {
            if condition() { return true }
            usleep(1000)
        }
        return false
    }

    @Test func `written bytes arrive before the response ends`() throws {
        let server = try server()
        let client = try client(server)
        let stream = try streams.first()
        expectEqual(client.answer()?.header("transfer-encoding"), "chunked")
        for text in ["one", "two", "three"] {
            #expect(stream.write(Array("\(text)\n".utf8)))
            // The length of a chunk, and the chunk.
            _ = client.readLine()
            expectEqual(client.readLine(), "\(text)\n")
            _ = client.readLine()
        }
        stream.end()
        expectEqual(client.readLine(), "0\r\n")
        _ = client.readLine()
        #expect(!stream.write([0x61]))
        // The connection can be reused.
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
    }

    @Test func `data larger than one read arrives completely`() throws {
        let server = try server()
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        let stream = try streams.first()
        for _ in 0..<100 { #expect(stream.write([UInt8](repeating: 0x61, count: 5000))) }
        stream.end()
        #expect(client.readToEnd().utf8.count { $0 == 0x61 } >= 500_000)
    }

    @Test func `a disconnected client ends its stream`() throws {
        let server = try server()
        let client = try client(server)
        let stream = try streams.first()
        _ = client.answer()
        client.hangUp()
        #expect(eventually { !stream.isOpen })
        #expect(eventually { server.connectionCount == 0 })
    }

    @Test func `a client that does not read loses its stream`() throws {
        let server = try server(waitingBytesMax: 10_000)
        let client = try client(server)
        let stream = try streams.first()
        let piece = [UInt8](repeating: 0x61, count: 9000)
        // The kernel's buffer for a connection is limited too.
        #expect(eventually { (0..<1000).contains { _ in !stream.write(piece) } })
        _ = client
    }

    @Test func `a stopped server ends the streams`() throws {
        let server = try server()
        let client = try client(server)
        let stream = try streams.first()
        _ = client.answer()
        server.stop(graceMilliseconds: 5000)
        #expect(!stream.isOpen)
        #expect(client.readToEnd().hasPrefix("0\r\n"))
    }

    @Test func `a HEAD request gets no stream`() throws {
        let server = try server()
        let client = try client(server, "HEAD")
        expectEqual(client.answer()?.status, 200)
        #expect(try !streams.first().isOpen)
    }
}

/// Observing the end of requests with `noting`.
@Suite("Recorded responses") struct NotedResponseTests {
    private final class Notes: Sendable {
        private let all = Mutex<[Int?]>([])
        func add(_ status: Int?) { all.withLock { $0.append(status) } }
        var statuses: [Int?] { all.withLock { $0 } }
    }

    @Test func `the first response is recorded once, and sent`() throws {
        let notes = Notes()
        let server = try Server { _, slot in
            let noted = slot.noting { notes.add($0?.status) }
            noted.respond(ServerResponse(status: 201))
            noted.respond(ServerResponse(status: 202))
        }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 201)
        expectEqual(notes.statuses, [201])
    }

    @Test func `a reset is recorded, and resets the connection`() throws {
        let notes = Notes()
        let server = try Server { _, slot in slot.noting { notes.add($0?.status) }.reset() }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.answer() == nil)
        expectEqual(notes.statuses, [nil])
    }

    @Test func `a released slot is recorded as the error that is sent`() throws {
        let notes = Notes()
        let server = try Server { _, slot in _ = slot.noting { notes.add($0?.status) } }
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 500)
        expectEqual(notes.statuses, [500])
    }
}
