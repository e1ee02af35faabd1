internal import Glibc
package import HTTP
internal import Synchronization
internal import Threads

/// A small HTTP/1.1 server on 127.0.0.1 for tests of real clients: on a free port, with a thread
/// per connection, which `stop` joins.
///
/// It supports persistent connections, bodies with a length and chunked ones, and `Expect:
/// 100-continue`, and misbehaves on request (`LoopbackReply`).
package final class LoopbackServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let handler: @Sendable (HTTPRequestSeen) -> LoopbackReply
    private let state = Mutex(State())

    private struct State {
        var isStopping = false
        var connections: Set<Int32> = []
        var threads: [PosixThread] = []
        var requests: [HTTPRequestSeen] = []
        var connectionCount = 0
    }

    /// Responds with the result of `handler`, which runs on the connection's thread.
    package convenience init(
        handler: @escaping @Sendable (HTTPRequestSeen) -> HTTPResponse
    ) throws {
        try self.init(replying: { .response(handler($0)) })
    }

    package init(replying handler: @escaping @Sendable (HTTPRequestSeen) -> LoopbackReply) throws {
        (listener, port) = try LoopbackSocket.listen()
        self.handler = handler
        let acceptor = try PosixThread { [self] in accept() }
        state.withLock { $0.threads.append(acceptor) }
    }

    /// `127.0.0.1:PORT`
    package var authority: String { "127.0.0.1:\(port)" }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    package var url: String { "http://\(authority)" }

    /// All requests, in the order in which they were received completely.
    package var requests: [HTTPRequestSeen] { state.withLock { $0.requests } }

    /// The number of accepted connections.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Waits until every connection that was accepted is closed.
    package func waitUntilIdle() {
        while state.withLock({ !$0.connections.isEmpty }) { usleep(200) }
    }

    /// Closes the listener and all connections, and waits for their threads. Must not be called
    /// from the handler. A second call has no effect.
    ///
    /// The acceptor's thread retains the server: a test that does not stop it leaks a port and a
    /// thread.
    package func stop() {
        let threads = state.withLock { state -> [PosixThread] in
            guard !state.isStopping else { return [] }
            state.isStopping = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            defer { state.threads = [] }
            return state.threads
        }
        for thread in threads { thread.join() }
    }

    private func accept() {
        defer { close(listener) }
        while true {
            let descriptor = LoopbackSocket.accept(from: listener)
            guard descriptor >= 0 else { return }
            let isServed = state.withLock { state in
                guard !state.isStopping,
                    let thread = try? PosixThread({ [self] in serve(descriptor) })
                else { return false }
                state.connections.insert(descriptor)
                state.connectionCount += 1
                state.threads.append(thread)
                return true
            }
            if !isServed { LoopbackSocket.end(descriptor) }
        }
    }

    private func serve(_ descriptor: Int32) {
        var connection = LoopbackConnection(descriptor: descriptor)
        while let request = connection.nextRequest() {
            state.withLock { $0.requests.append(request) }
            guard connection.send(handler(request), to: request) else { break }
        }
        // Under the lock, so that `stop` cannot shut down a descriptor number that was reused.
        state.withLock { state in
            state.connections.remove(descriptor)
            LoopbackSocket.end(descriptor)
        }
    }
}

/// How the server responds to a request.
package enum LoopbackReply: Sendable {
    case response(HTTPResponse)
    /// The same with `Transfer-Encoding: chunked`, in chunks of that size.
    case chunked(HTTPResponse, pieceBytes: Int)
    /// These bytes, then closes the connection.
    case raw([UInt8])
    /// These bytes, then nothing until the client disconnects or the server stops.
    case stall(after: [UInt8])
    /// Closes the connection without a response.
    case hangUp
    /// Nothing until the client disconnects or the server stops.
    case silence
}
