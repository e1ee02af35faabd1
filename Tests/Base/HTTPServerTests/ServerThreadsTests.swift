import Foundation
import HTTPServer
import TestSupport
import Threads

@Suite("The threads of the server", .hangLimit)
struct ServerThreadsTests {
    private static let runningMax = max(2, ProcessInfo.processInfo.activeProcessorCount)
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let now = "GET /now HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `only as many requests are answered at once as there are processors`() throws {
        let held = HeldRequests(announces: false)
        let server = try RunningServer(workers: Self.runningMax + 4, answer: held.answer)
        defer { server.stop() }
        let clients = try (0..<Self.runningMax + 4).map { _ in try server.client() }
        for client in clients { client.send(Self.get) }
        held.waitUntil { $0 >= Self.runningMax }
        // The first look at those that may wait for something without saying so can be over now.
        #expect(held.count <= Self.runningMax + 1)
        held.waitUntil { $0 > Self.runningMax }
        let other = try server.client()
        other.send(Self.now)
        expectEqual(other.answer()?.status, 200)
        held.finish()
        for client in clients { expectEqual(client.answer()?.status, 200) }
        expectEqual(held.count, clients.count)
    }

    @Test func `while requests wait for something else, others are answered`() throws {
        let held = HeldRequests(announces: true)
        let server = try RunningServer(workers: Self.runningMax + 4, answer: held.answer)
        defer { server.stop() }
        let clients = try (0..<Self.runningMax + 5).map { _ in try server.client() }
        for client in clients { client.send(Self.get) }
        held.waitUntil { $0 == Self.runningMax + 4 }
        // All responders are in use; what needs none is answered.
        let other = try server.client()
        other.send(Self.now)
        expectEqual(other.answer()?.status, 200)
        expectEqual(held.count, Self.runningMax + 4)
        held.finish()
        for client in clients { expectEqual(client.answer()?.status, 200) }
    }

    @Test func `each request is answered once, even if some threads wait`() throws {
        let answered = Atomic<Int>(0)
        let server = try RunningServer(
            workers: 8,
            answer: { request in
                let number = answered.add(1, ordering: .relaxed).newValue
                if number % 3 == 0 { Waiting.during { _ = usleep(200) } }
                return ServerResponse(status: 200, body: Array(request.path.utf8))
            })
        defer { server.stop() }
        let wrong = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 12) { client in
            guard let connection = try? server.client() else {
                wrong.add(1, ordering: .relaxed)
                return
            }
            for number in 0..<200 {
                connection.send("GET /\(client)/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                if connection.answer()?.body != "/\(client)/\(number)" {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        expectEqual(wrong.load(ordering: .relaxed), 0)
        expectEqual(answered.load(ordering: .relaxed), 12 * 200)
    }

    /// After long answers several threads wait for events, of which none comes.
    @Test func `a server without connections stops`() throws {
        for _ in 0..<10 {
            let server = try RunningServer(
                workers: 4,
                answer: { _ in
                    usleep(3_000)
                    return ServerResponse(status: 200)
                })
            do {
                let clients = try (0..<4).map { _ in try server.client() }
                for client in clients { client.send(Self.get) }
                for client in clients { expectEqual(client.answer()?.status, 200) }
            }
            server.stop()
            expectEqual(server.ended(), .finished)
        }
    }

    @Test func `stopping waits for the work after the last response`() throws {
        let (begun, mayFinish) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try RunningServer(afterResponse: {
            begun.signal()
            mayFinish.wait()
        })
        let client = try server.client()
        client.send(Self.get)
        expectEqual(client.answer()?.status, 200)
        begun.wait()
        server.stop()
        #expect(client.isClosed())
        usleep(50_000)
        expectEqual(server.current, nil)
        mayFinish.signal()
        expectEqual(server.ended(), .finished)
    }

    /// Answers that are held until `finish`.
    private final class HeldRequests: Sendable {
        private let counter = Atomic<Int>(0)
        private let mayFinish = Atomic<Bool>(false)
        private let announces: Bool

        init(announces: Bool) { self.announces = announces }

        var count: Int { counter.load(ordering: .acquiring) }

        var answer: @Sendable (ReceivedRequest) -> ServerResponse {
            { [self] _ in
                counter.add(1, ordering: .releasing)
                func wait() {
                    while !mayFinish.load(ordering: .acquiring) { usleep(1_000) }
                }
                if announces { Waiting.during(wait) } else { wait() }
                return ServerResponse(status: 200)
            }
        }

        func waitUntil(_ holds: (Int) -> Bool) {
            while !holds(count) { usleep(1_000) }
        }

        func finish() { mayFinish.store(true, ordering: .releasing) }
    }
}
