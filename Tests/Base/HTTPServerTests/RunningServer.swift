import BaseTestSupport
import Glibc
import HTTPServer

/// A server on a thread of its own, which echoes requests by default.
final class RunningServer: Sendable {
    let port: UInt16
    private let server: Server
    private let end = Mutex<Server.End?>(nil)
    let seen = Mutex<[ReceivedRequest]>([])

    static let date = Instant(milliseconds: 784_111_777_000)

    init(
        _ limits: ServerLimits = ServerLimits(), workers: Int = 4,
        counters: ServerCounters? = nil,
        queueClock: @escaping @Sendable () -> Int = { 0 }, slow: SlowRequests? = nil,
        answer: (@Sendable (ReceivedRequest) -> ServerResponse)? = nil,
        afterResponse: @escaping @Sendable () -> Void = {}
    ) throws {
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let listener = try Listener(address)
        port = try #require(UInt16(listener.address.dropFirst("127.0.0.1:".count)))
        let box = Box()
        let responder = Responder(
            answer: { request in
                box.server?.seen.withLock { $0.append(request) }
                return answer?(request)
                    ?? ServerResponse(
                        status: 200, headers: [HTTPHeader("x-path", request.path)],
                        body: request.body)
            }, afterResponse: afterResponse)
        server = try Server(
            [listener], limits: limits,
            responders: Array(repeating: responder, count: workers),
            clock: .fixed(at: Self.date), counters: counters, queueClock: queueClock, slow: slow,
            immediate: { $0.path == "/now" ? ServerResponse(status: 200) : nil })
        box.server = self
        DetachedThread.run { [self] in
            let result = try? server.run()
            end.withLock { $0 = result ?? .cutOff }
        }
    }

    private final class Box: @unchecked Sendable { weak var server: RunningServer? }

    func client() throws -> LoopbackClient { try LoopbackClient(port: port) }

    func stop() { server.stop() }

    /// The result of `run`.
    var current: Server.End? { end.withLock { $0 } }

    /// Waits for `run` to return.
    func ended() -> Server.End? {
        for _ in 0..<2_000 {
            if let current { return current }
            usleep(5_000)
        }
        return nil
    }

    deinit { server.stop() }
}
