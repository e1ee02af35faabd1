import BaseTestSupport
import Glibc

/// One address for all services that a function calls. It forwards each request, and can kill the
/// function at one of them.
///
/// Between two requests a function has no effect outside of its process, and a request that only
/// reads has none either. So the states that `kill -9` can leave are those before and after
/// each change.
final class InterruptingProxy: Sendable {
    enum Moment: String, CaseIterable, Sendable {
        /// The request is not made.
        case beforeRequest
        /// The request takes effect, and the function gets no response.
        case beforeResponse
    }

    /// At which request of the function it is killed.
    enum Target: Sendable {
        /// The number, from 1, of a request that can change something.
        case change(Int)
        case firstTransaction
    }

    struct Outcome {
        let result: ProcessResult
        /// False if the function ended before the target.
        let wasKilled: Bool
    }

    private let shared = Shared()
    private let server: LoopbackServer

    init(forward: @escaping @Sendable (HTTPRequestSeen) -> HTTPResponse) throws {
        server = try LoopbackServer(replying: { [shared] request in
            switch shared.decision(on: request) {
            case .forward: return .response(forward(request))
            case .drop: return .hangUp
            case .kill(let process, .beforeRequest):
                process.kill(SIGKILL)
                return .hangUp
            case .kill(let process, .beforeResponse):
                _ = forward(request)
                process.kill(SIGKILL)
                return .hangUp
            }
        })
    }

    var url: String { server.url }

    func stop() { server.stop() }

    /// Runs a function, which must be the only one that uses the proxy during that time.
    func run(_ command: Command, killedAt target: Target, _ moment: Moment) throws -> Outcome {
        guard case .bytes(let event) = command.input else { throw NoEvent() }
        // It makes no request before it receives its event.
        var waiting = command
        waiting.input = .stream
        let process = try ChildProcess(waiting)
        shared.state.withLock { $0 = State(aim: (process, target, moment)) }
        _ = process.send(String(decoding: event, as: UTF8.self))
        process.endInput()
        let result = process.wait()
        // Waits for requests that were sent at the same time as the last one.
        server.waitUntilIdle()
        return shared.state.withLock { state in
            defer { state = State() }
            return Outcome(result: result, wasKilled: state.hasKilled)
        }
    }

    private struct NoEvent: Error {}
}

extension InterruptingProxy {
    private struct State {
        var aim: (process: ChildProcess, target: Target, moment: Moment)?
        var changes = 0
        var hasKilled = false
    }

    private enum Decision {
        case forward, drop
        case kill(ChildProcess, Moment)
    }

    private final class Shared: Sendable {
        let state = Mutex(State())

        func decision(on request: HTTPRequestSeen) -> Decision {
            state.withLock { state in
                guard let aim = state.aim else { return .forward }
                guard !state.hasKilled else { return .drop }
                guard !request.isRead else { return .forward }
                state.changes += 1
                let isTarget =
                    switch aim.target {
                    case .change(let number): state.changes == number
                    case .firstTransaction:
                        request.header("x-amz-target")?.hasSuffix(".TransactWriteItems") == true
                    }
                guard isTarget else { return .forward }
                state.hasKilled = true
                return .kill(aim.process, aim.moment)
            }
        }
    }
}

extension HTTPRequestSeen {
    /// Whether it cannot have an effect.
    fileprivate var isRead: Bool {
        guard method == "POST" else { return method == "GET" }
        return ["Query", "GetItem", "BatchGetItem"].contains { operation in
            header("x-amz-target") == "DynamoDB_20120810.\(operation)"
        }
    }
}
