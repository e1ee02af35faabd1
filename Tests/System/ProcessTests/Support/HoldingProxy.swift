import BaseTestSupport
import Foundation

/// Between clients and their server: it forwards all requests, and can hold up a refresh.
final class HoldingProxy: Sendable {
    enum Moment: Sendable {
        /// The server has not received the request.
        case request
        /// The server has answered, and done what was asked.
        case answer
    }

    private let server: LoopbackServer
    private let state: State

    private final class State: Sendable {
        let armed = Mutex<Moment?>(nil)
        let arrivals = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)

        func pass(_ moment: Moment) {
            let isHere = armed.withLock { armed in
                guard armed == moment else { return false }
                armed = nil
                return true
            }
            guard isHere else { return }
            arrivals.signal()
            gate.wait()
        }
    }

    init(to port: UInt16) throws {
        let state = State()
        self.state = state
        server = try LoopbackServer(replying: { request in
            let isRefresh = request.path == "/auth/refresh"
            if isRefresh { state.pass(.request) }
            guard let answer = Self.forward(request, to: port) else { return .hangUp }
            if isRefresh { state.pass(.answer) }
            return .raw(Array("\(answer.head)\r\nConnection: close\r\n\r\n\(answer.body)".utf8))
        })
    }

    deinit { server.stop() }

    var url: String { server.url }

    /// Holds up the next refresh.
    func hold(_ moment: Moment) { state.armed.withLock { $0 = moment } }

    /// Waits for it. False if none comes.
    func isHolding() -> Bool { state.arrivals.wait(timeout: .now() + 60) == .success }

    func release() { state.gate.signal() }

    /// Waits until the refresh that was held up is forwarded, and the client is gone.
    func waitUntilIdle() { server.waitUntilIdle() }

    private static func forward(
        _ request: HTTPRequestSeen, to port: UInt16
    ) -> LoopbackClient.Answer? {
        var head = "\(request.method) \(request.target) HTTP/1.1\r\n"
        for header in request.headers where header.name != "connection" {
            head += "\(header.name): \(header.value)\r\n"
        }
        guard let client = try? LoopbackClient(port: port) else { return nil }
        client.send(Array("\(head)Connection: close\r\n\r\n".utf8) + request.body)
        return client.answer()
    }
}
