import BaseTestSupport
import Glibc
import HTTPClient

@Suite struct CurlSendAllTests {
    private let client = CurlTransport(trust: CertificateTrust { _ in nil })

    @Test func `requests are sent concurrently, and results keep the order`()
        throws
    {
        // Responses are sent when all requests have arrived: sequential requests would time out.
        let barrier = Barrier(of: 5)
        let server = try LoopbackServer { request in
            barrier.wait()
            return HTTPResponse(status: 200, body: Array(request.target.utf8))
        }
        defer { server.stop() }
        let outcomes = client.sendAll((0..<5).map { HTTPRequest(.get, "\(server.url)/\($0)") })
        try expectEqual(outcomes.map { try $0.get().body }, (0..<5).map { Array("/\($0)".utf8) })
    }

    @Test func `a failure of a request does not affect the others`() throws {
        let server = try LoopbackServer(replying: { request in
            switch request.target {
            case "/silent": .silence
            case "/hangs-up": .hangUp
            case "/large":
                .response(HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 100)))
            default: .response(HTTPResponse(status: 200, body: request.body))
            }
        })
        defer { server.stop() }
        let gone = "http://127.0.0.1:\(try FreePort.find())"
        var requests = ["/silent", "/hangs-up", "/large", "/fine"].map {
            HTTPRequest(.post, server.url + $0, body: Array($0.utf8))
        }
        requests[0].limits.totalMillisecondsMax = 200
        requests[2].limits.responseBytesMax = 99
        requests.append(HTTPRequest(.get, "ftp://127.0.0.1/"))
        requests.append(HTTPRequest(.get, gone))
        let kinds = client.sendAll(requests).map { outcome in
            switch outcome {
            case .success(let response): String(decoding: response.body, as: UTF8.self)
            case .failure(.timedOut): "timed out"
            case .failure(.interrupted): "interrupted"
            case .failure(.responseTooLarge): "too large"
            case .failure(.invalidURL): "invalid URL"
            case .failure(.connectFailed): "connect failed"
            }
        }
        expectEqual(
            kinds,
            ["timed out", "interrupted", "too large", "/fine", "invalid URL", "connect failed"])
    }

    @Test func `connections are kept open and reused by a single request`() throws {
        let connections = Mutex(Set<UInt>())
        let gate = Mutex(Barrier(of: 3))
        let server = try LoopbackServer { _ in
            connections.withLock { _ = $0.insert(currentThread()) }
            gate.withLock { $0 }.wait()
            return HTTPResponse(status: 200)
        }
        defer { server.stop() }
        for _ in 0..<3 {
            gate.withLock { $0 = Barrier(of: 3) }
            let outcomes = client.sendAll(Array(repeating: HTTPRequest(.get, server.url), count: 3))
            #expect(outcomes.allSatisfy { (try? $0.get().status) == 200 })
            gate.withLock { $0 = Barrier(of: 1) }
            try expectEqual(client.send(HTTPRequest(.get, server.url)).status, 200)
        }
        expectEqual(connections.withLock { $0.count }, 3)
    }

    @Test func `a long list is sent in parts, and an empty one not at all`() throws {
        let server = try LoopbackServer { request in
            HTTPResponse(status: 200, body: request.body)
        }
        defer { server.stop() }
        let count = 2 * CurlTransport.requestsAtOnceMax + 1
        let bodies = (0..<count).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 100) }
        let outcomes = client.sendAll(bodies.map { HTTPRequest(.post, server.url, body: $0) })
        try expectEqual(outcomes.map { try $0.get().body }, bodies)
        #expect(client.sendAll([]).isEmpty)
    }

    @Test func `a redirect is not followed`() throws {
        let server = try LoopbackServer { request in
            HTTPResponse(status: 302, headers: [HTTPHeader("Location", "/elsewhere")])
        }
        defer { server.stop() }
        let outcomes = client.sendAll(
            Array(repeating: HTTPRequest(.get, server.url + "/here"), count: 2))
        try expectEqual(outcomes.map { try $0.get().status }, [302, 302])
        expectEqual(server.requests.map(\.target), ["/here", "/here"])
    }
}

/// Blocks the callers of `wait` until `count` of them have called it.
private final class Barrier: Sendable {
    private static let pollMicroseconds: UInt32 = 500
    private let missing: Mutex<Int>

    init(of count: Int) { missing = Mutex(count) }

    func wait() {
        missing.withLock { $0 -= 1 }
        // The client's own timeout also limits this wait.
        for _ in 0..<20_000 where missing.withLock({ $0 > 0 }) { usleep(Self.pollMicroseconds) }
    }
}
